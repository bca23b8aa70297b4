/*
 * Copyright 2026 The netty-transport-rdma Project
 *
 * The netty-transport-rdma Project licenses this file to you under the Apache License,
 * version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at:
 *
 *   https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the
 * License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND,
 * either express or implied. See the License for the specific language governing permissions
 * and limitations under the License.
 */
package io.nettyrdma.spark.demo;

import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

import static org.apache.spark.sql.functions.col;

/**
 * A job that moves much data between executors, and some to and from the driver. It prints a line for each step: {@code
 * result}, its name, a number that depends on all data, and milliseconds. Equal data gives equal numbers.
 */
public final class ShuffleJob {

    private static final int PARTITIONS = 8;
    private static final int KEYS = 50_000;
    private static final int BROADCAST_BYTES = 32 << 20;
    private static final int PRIME = 1_000_003;

    private final SparkSession spark;
    private final long rows;

    private ShuffleJob(SparkSession spark, long rows) {
        this.spark = spark;
        this.rows = rows;
    }

    /**
     * Runs the job with the configuration of the JVM's properties.
     *
     * @param args the number of rows; and, if an executor is to be killed in the middle, a file that does not exist.
     */
    public static void main(String[] args) throws Exception {
        String marker = args.length > 1 ? args[1] : "";
        try (SparkSession spark = SparkSession.builder().appName("shuffle").getOrCreate()) {
            ShuffleJob job = new ShuffleJob(spark, Long.parseLong(args[0]));
            report("repartition", job::repartition);
            report("sort", () -> job.sort(marker));
            report("join", job::join);
            report("broadcast", job::broadcast);
            report("collect", job::collect);
        }
    }

    private static void report(String name, Callable<Long> step) throws Exception {
        long start = System.nanoTime();
        long value = step.call();
        System.out.printf("result %s %d %d%n", name, value, (System.nanoTime() - start) / 1_000_000);
    }

    /** Each row moves once. */
    private long repartition() {
        return spark.range(0, rows, 1, PARTITIONS).selectExpr("id", "repeat(cast(id as string), 16) as text")
                .repartition(PARTITIONS, col("id")).selectExpr("sum(crc32(text))").first().getLong(0);
    }

    /** The number depends on the position of each row. */
    private long sort(String marker) {
        return spark.range(0, rows, 1, PARTITIONS)
                .selectExpr("(id * 7919) % " + PRIME + " as k", "id", "repeat(cast(id as string), 8) as text")
                .orderBy("k", "id").toJavaRDD().zipWithIndex()
                .map(row -> {
                    killOnce(marker);
                    return row._1().getLong(1) * (row._2() % PRIME) % PRIME;
                }).reduce(Long::sum);
    }

    /** The first task of the second partition kills its executor: its files and connections are gone at once. */
    private static void killOnce(String marker) throws IOException, InterruptedException {
        if (marker.isEmpty() || TaskContext.getPartitionId() != 1 || Files.exists(Path.of(marker))) {
            return;
        }
        try {
            Files.createFile(Path.of(marker));
        } catch (FileAlreadyExistsException e) {
            return;
        }
        new ProcessBuilder("kill", "-KILL", Long.toString(ProcessHandle.current().pid())).start().waitFor();
    }

    /** By SQL. Both sides are sorted and merged. */
    private long join() {
        spark.range(0, rows, 1, PARTITIONS).selectExpr("id % " + KEYS + " as k", "id as v").createOrReplaceTempView("l");
        spark.range(0, rows / PARTITIONS, 1, PARTITIONS).selectExpr("id % " + KEYS + " as k", "id as w")
                .createOrReplaceTempView("r");
        return spark.sql("select /*+ merge(r) */ sum(v * w % " + PRIME + ") from l join r on l.k = r.k").first()
                .getLong(0);
    }

    private long broadcast() {
        byte[] bytes = new byte[BROADCAST_BYTES];
        new Random(1).nextBytes(bytes);
        JavaSparkContext context = JavaSparkContext.fromSparkContext(spark.sparkContext());
        Broadcast<byte[]> everywhere = context.broadcast(bytes);
        List<Integer> tasks = IntStream.range(0, PARTITIONS).boxed().toList();
        return context.parallelize(tasks, PARTITIONS).map(task -> (long) Arrays.hashCode(everywhere.value()) + task)
                .reduce(Long::sum);
    }

    /** Many rows come to the driver. */
    private long collect() {
        List<Row> collected = spark.range(0, rows / PARTITIONS, 1, PARTITIONS)
                .selectExpr("id", "repeat(cast(id as string), 16) as text").collectAsList();
        return collected.stream().mapToLong(row -> row.getLong(0) * 31 + row.getString(1).hashCode()).sum();
    }
}
