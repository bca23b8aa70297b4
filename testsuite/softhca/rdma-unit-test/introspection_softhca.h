// SPDX-License-Identifier: Apache-2.0
//
// Describes the software device to rdma-unit-test, so that tests of what it has not are skipped.
#ifndef SOFTHCA_INTROSPECTION_SOFTHCA_H
#define SOFTHCA_INTROSPECTION_SOFTHCA_H

#include "internal/introspection_registrar.h"
#include "public/introspection.h"

namespace rdma_unit_test {

class IntrospectionSofthca : public NicIntrospection {
 public:
  IntrospectionSofthca(const std::string& name, const ibv_device_attr& attributes)
      : NicIntrospection(name, attributes) {}

  static void Register() {
    IntrospectionRegistrar::GetInstance().Register(
        "softhca", [](const std::string& name, const ibv_device_attr& attributes) {
          return new IntrospectionSofthca(name, attributes);
        });
  }

  bool SupportsZeroLengthMr() const override { return false; }

  // The processor is the device: what an adapter does a million times it does some thousand times.
  bool IsSlowNic() const override { return true; }

 protected:
  // What is absent, where the test does not ask the functions above.
  const absl::flat_hash_map<TestcaseKey, std::string>& GetDeviations() const override {
    static const std::string windows = "No memory windows.";
    static const absl::flat_hash_map<TestcaseKey, std::string> absent{
        {{"LoopbackRcQpTest", "SendWithInvalidateType1Rkey"}, windows},
        {{"LoopbackRcQpTest", "Type1MWRead"}, windows},
        {{"LoopbackRcQpTest", "Type1MWUnbind"}, windows},
        {{"LoopbackRcQpTest", "Type1MWWrite"}, windows},
        {{"PdTest", "MwRefCount"}, windows},
        {{"RdmaAccessTest", "ZeroBasedAccess"}, "No regions whose addresses begin at 0."},
    };
    return absent;
  }
};

}  // namespace rdma_unit_test

#endif
