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
package io.nettyrdma.testsuite.arch;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * The texts of exceptions and of log lines in Java sources, found by the compiler's parser: the string literals among
 * the arguments of a constructor of an exception, and of a method of a logger; a constant, a variable or a result that
 * is a sentence. Of a class of texts, all literals.
 */
final class SourceMessages extends TreeScanner<Void, Void> {

    private static final Pattern EXCEPTION = Pattern.compile(".*(?:Exception|Error|Refusal)(?:<.*)?");
    /** A call that logs, prints, or sends a text to the peer. */
    private static final Pattern LOG = Pattern.compile("(?:(?:\\w+\\.)?LOGGER|logger"
            + "|(?:\\w+\\.)?warnings(?:\\(\\))?)\\.(?:warn|error|info|log)"
            + "|report\\.(?:accept|always)|always|unsupported|System\\.err\\.println"
            + "|(?:\\w+\\.)?(?:refuse|reject|rejectAndClose)");
    /** Classes whose methods return texts for exceptions and lines. */
    private static final Set<String> TEXTS = Set.of("CmErrors", "Cures", "DatagramFailure", "FallbackReason",
            "KernelDevices", "WorkCompletionStatus");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{\\}");
    private static final Pattern SPACES = Pattern.compile("\\s+");
    /** Of a part that identifies a message; "is" and "to" do not. */
    private static final int LEAST_LETTERS = 4;
    /** Of a constant, a variable or a result: one with fewer words is a name. */
    private static final int LEAST_WORDS = 4;
    private static final Pattern WORD = Pattern.compile("[A-Za-z]\\S*");
    private static final Set<Tree.Kind> TEXT = Set.of(Tree.Kind.STRING_LITERAL, Tree.Kind.PLUS,
            Tree.Kind.CONDITIONAL_EXPRESSION);

    /**
     * A text.
     *
     * @param location file and line.
     * @param parts what stands in it always, without the spaces around.
     */
    record Message(String location, List<String> parts) {

        static Message of(String location, Stream<String> literals, Pattern variable) {
            return new Message(location, literals.flatMap(text -> constants(text, variable).stream()).toList());
        }

        @Override
        public String toString() {
            return location + ": " + text();
        }

        String text() {
            return String.join(" ... ", parts);
        }
    }

    private final Trees trees;
    private final CompilationUnitTree unit;
    private final Path root;
    private final List<Message> found = new ArrayList<>();
    private String className = "";
    private boolean isDescription;

    private SourceMessages(Trees trees, CompilationUnitTree unit, Path root) {
        this.trees = trees;
        this.unit = unit;
        this.root = root;
    }

    /** Of all files; locations are relative to the root. */
    static List<Message> of(Collection<Path> files, Path root) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<Message> all = new ArrayList<>();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(null, manager, null, null, null,
                    manager.getJavaFileObjectsFromPaths(files));
            for (CompilationUnitTree unit : task.parse()) {
                SourceMessages scanner = new SourceMessages(Trees.instance(task), unit, root);
                scanner.scan(unit, null);
                all.addAll(scanner.found);
            }
        }
        return all;
    }

    /** The constant parts of a text, each on one line. */
    static List<String> constants(String text, Pattern variable) {
        return variable.splitAsStream(text).map(part -> SPACES.matcher(part).replaceAll(" ").strip())
                .filter(part -> part.chars().filter(Character::isLetter).count() >= LEAST_LETTERS).toList();
    }

    @Override
    public Void visitClass(ClassTree node, Void unused) {
        String outer = className;
        className = node.getSimpleName().toString();
        super.visitClass(node, unused);
        className = outer;
        return null;
    }

    @Override
    public Void visitMethod(MethodTree node, Void unused) {
        boolean outer = isDescription;
        isDescription = node.getName().contentEquals("toString");
        super.visitMethod(node, unused);
        isDescription = outer;
        return null;
    }

    @Override
    public Void visitVariable(VariableTree node, Void unused) {
        addSentence(node.getInitializer());
        return super.visitVariable(node, unused);
    }

    @Override
    public Void visitReturn(ReturnTree node, Void unused) {
        addSentence(node.getExpression());
        return super.visitReturn(node, unused);
    }

    @Override
    public Void visitNewClass(NewClassTree node, Void unused) {
        boolean isException = EXCEPTION.matcher(node.getIdentifier().toString()).matches();
        if (isException) {
            add(node, node.getArguments());
        }
        return isException && TEXTS.contains(fileName()) ? null : super.visitNewClass(node, unused);
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree node, Void unused) {
        String method = node.getMethodSelect().toString();
        boolean isOfException = EXCEPTION.matcher(className).matches()
                && (method.equals("super") || method.equals("this"));
        if (isOfException || LOG.matcher(method).matches()) {
            add(node, node.getArguments());
        }
        return super.visitMethodInvocation(node, unused);
    }

    @Override
    public Void visitBinary(BinaryTree node, Void unused) {
        if (!TEXTS.contains(fileName()) || node.getKind() != Tree.Kind.PLUS) {
            return super.visitBinary(node, unused);
        }
        add(node, List.of(node));
        return null;
    }

    @Override
    public Void visitLiteral(LiteralTree node, Void unused) {
        if (TEXTS.contains(fileName()) && node.getValue() instanceof String text && text.contains(" ")) {
            add(Message.of(location(node), Stream.of(text), PLACEHOLDER));
        }
        return null;
    }

    /** A text that another method logs or throws. */
    private void addSentence(ExpressionTree text) {
        if (text == null || isDescription || TEXTS.contains(fileName()) || !TEXT.contains(text.getKind())) {
            return;
        }
        List<String> literals = literals(List.of(text));
        if (literals.stream().filter(each -> each.contains(" ")).flatMap(each -> WORD.matcher(each).results()).count()
                >= LEAST_WORDS) {
            add(Message.of(location(text), literals.stream(), PLACEHOLDER));
        }
    }

    private void add(Tree at, List<? extends ExpressionTree> arguments) {
        add(Message.of(location(at), literals(arguments).stream(), PLACEHOLDER));
    }

    private static List<String> literals(List<? extends ExpressionTree> arguments) {
        List<String> literals = new ArrayList<>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitLiteral(LiteralTree node, Void unused) {
                if (node.getValue() instanceof String text) {
                    literals.add(text);
                }
                return null;
            }

            /** A message of its own. */
            @Override
            public Void visitNewClass(NewClassTree node, Void unused) {
                return EXCEPTION.matcher(node.getIdentifier().toString()).matches() ? null
                        : super.visitNewClass(node, unused);
            }
        }.scan(arguments, null);
        return literals;
    }

    private void add(Message message) {
        if (!message.parts().isEmpty()) {
            found.add(message);
        }
    }

    private String fileName() {
        String name = Path.of(unit.getSourceFile().toUri()).getFileName().toString();
        return name.substring(0, name.length() - ".java".length());
    }

    private String location(Tree node) {
        long line = unit.getLineMap().getLineNumber(trees.getSourcePositions().getStartPosition(unit, node));
        return root.relativize(Path.of(unit.getSourceFile().toUri())) + ":" + line;
    }
}
