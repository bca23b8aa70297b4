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
package io.nettyrdma.program;

import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.stream.Collectors;

/** Reads the options of a program. All programs have the same words for what is wrong with them. */
public final class Programs {

    /** Exit status: the program did what it is for. */
    public static final int SUCCESS = 0;
    /** Exit status: something is missing, or has failed. */
    public static final int FAILED = 1;
    /** Exit status: an option is wrong. */
    public static final int WRONG_USAGE = 2;

    private static final int HELP_WIDTH = 110;

    private Programs() {
    }

    /**
     * {@return the parser of a program}
     *
     * @param options with the annotation {@link picocli.CommandLine.Command}, whose name is that of the program.
     */
    public static CommandLine parser(Options options) {
        CommandLine parser = new CommandLine(options)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOverwrittenOptionsAllowed(true)
                .setPosixClusteredShortOptionsAllowed(false)
                .setUnmatchedOptionsArePositionalParams(false)
                .setUsageHelpWidth(HELP_WIDTH);
        parser.getCommandSpec().usageMessage().synopsisHeading("usage: ").abbreviateSynopsis(false);
        return parser;
    }

    /**
     * Reads options: {@code --name value} or {@code --name=value}. Answers {@code --help}, and reports wrong usage in
     * one line.
     *
     * @param options whose fields are set.
     * @param out for help.
     * @param errors for wrong usage.
     * @param words of the command line.
     * @return the exit status, if the program ends here.
     */
    public static OptionalInt read(Options options, PrintStream out, PrintStream errors, String... words) {
        CommandLine parser = parser(options);
        try {
            refuseUnknown(parser, words);
            if (parser.parseArgs(words).isUsageHelpRequested()) {
                PrintWriter writer = new PrintWriter(out, false, StandardCharsets.UTF_8);
                parser.usage(writer);
                writer.flush();
                return OptionalInt.of(SUCCESS);
            }
            options.check();
            return OptionalInt.empty();
        } catch (ParameterException e) {
            return wrongUsage(parser, errors, message(e));
        } catch (IllegalArgumentException e) {
            return wrongUsage(parser, errors, e.getMessage());
        }
    }

    /** Before the parser does: it would take the word behind an unknown option for an argument, and refuse that. */
    private static void refuseUnknown(CommandLine parser, String... words) {
        for (String word : words) {
            String name = word.split("=", 2)[0];
            if (name.startsWith("--") && !parser.getCommandSpec().optionsMap().containsKey(name)) {
                throw new IllegalArgumentException("no option " + name);
            }
        }
    }

    private static OptionalInt wrongUsage(CommandLine parser, PrintStream errors, String message) {
        String name = parser.getCommandName();
        errors.print(name + ": " + message + ": see " + name + " --help\n");
        return OptionalInt.of(WRONG_USAGE);
    }

    private static String message(ParameterException e) {
        if (e instanceof UnmatchedArgumentException) {
            String word = ((UnmatchedArgumentException) e).getUnmatched().get(0);
            return word.startsWith("-") ? "no option " + word.split("=", 2)[0] : "no argument " + word;
        }
        if (e instanceof MissingParameterException) {
            ArgSpec missing = ((MissingParameterException) e).getMissing().get(0);
            boolean lacksValue = missing instanceof OptionSpec && !missing.required();
            return !lacksValue ? "no " + name(missing)
                    : name(missing) + " needs " + (missing.arity().min() > 1 ? missing.paramLabel() : "a value");
        }
        ArgSpec wrong = e.getArgSpec();
        if (wrong == null || e.getValue() == null) {
            return e.getMessage();
        }
        Class<?> type = wrong.auxiliaryTypes().length == 0 ? wrong.type() : wrong.auxiliaryTypes()[0];
        if (type == boolean.class) {
            return name(wrong) + " takes no value";
        }
        if (isNumber(type)) {
            return name(wrong) + " is " + e.getValue() + ", which is no number";
        }
        return name(wrong) + " cannot be " + e.getValue() + (type.isEnum() ? ": use " + names(type) : "");
    }

    private static String names(Class<?> type) {
        return Arrays.stream(type.getEnumConstants()).map(each -> each.toString().toLowerCase(Locale.ROOT))
                .collect(Collectors.joining(", "));
    }

    private static boolean isNumber(Class<?> type) {
        return type == int.class || type == long.class || type == double.class || Number.class.isAssignableFrom(type);
    }

    private static String name(ArgSpec argument) {
        return argument instanceof OptionSpec ? ((OptionSpec) argument).longestName() : argument.paramLabel();
    }
}
