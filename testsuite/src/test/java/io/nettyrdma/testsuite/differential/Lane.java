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
package io.nettyrdma.testsuite.differential;

import io.netty.channel.IoHandle;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import io.nettyrdma.testsuite.differential.Journal.Message;
import io.nettyrdma.testsuite.support.Deadline;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs programs one after another, each from its connection to its last promise. */
final class Lane {

    /** Turns of both loops after which everything that was requested has been done. */
    private static final int TURNS = 2;

    private final Executor threads;
    private final double seconds;

    /** @param seconds the time that a program may go without progress. */
    Lane(Executor threads, double seconds) {
        this.threads = threads;
        this.seconds = seconds;
    }

    /** Returns {@code null} if the server aborted before the client's connect completed. */
    Transcript run(Program program, Transport transport) throws Exception {
        Interpreter client = new Interpreter(program.client(), program.server(), threads);
        Interpreter server = new Interpreter(program.server(), program.client(), threads);
        List<String> stuck = new ArrayList<>();
        try {
            Throwable cause = transport.connect(program.route(), client, server);
            if (cause != null && server.journal().isAborted()) {
                closeBoth(client, server);
                return null;
            }
            if (cause != null) {
                throw new AssertionError("cannot connect: " + cause);
            }
            until("both ends to be active", client, server, () -> isActive(client) && isActive(server));
            for (int i = 0; i < program.turns(); i++) {
                turn(client);
                turn(server);
            }
            if (program.ending().waits()) {
                until("the end of what both do", client, server, () -> isSettled(client, server));
                if (hasEndedNothing(client.journal()) && hasEndedNothing(server.journal())) {
                    client.journal().settled();
                    server.journal().settled();
                }
            }
            end(program, client, server);
        } catch (AssertionError e) {
            stuck.add(e.getMessage() + ": client " + state(client, server) + "; server " + state(server, client));
            closeBoth(client, server);
        }
        release(client, server);
        return new Transcript(program, transport.toString(), client.journal(), server.journal(), stuck);
    }

    /** Also if the program does not end, because other programs follow. */
    private static void release(Interpreter client, Interpreter server) {
        client.releaseKept();
        server.releaseKept();
    }

    private static boolean hasEndedNothing(Journal journal) {
        return !journal.isOutputEnded() && !journal.isInputEnded();
    }

    private void end(Program program, Interpreter client, Interpreter server) throws Exception {
        Interpreter first = program.ending().isClients() ? client : server;
        Interpreter second = first == client ? server : client;
        first.end(program.ending().aborts());
        until("the other side to see the end", client, server, () -> {
            first.readFromNowOn();
            second.readFromNowOn();
            return second.journal().isInputEnded() || second.journal().hasEnded();
        });
        second.end(false);
        until("both to be closed", client, server, () -> isOver(client) && isOver(server));
    }

    private static boolean isActive(Interpreter side) {
        return side.journal().events().contains("active");
    }

    private static boolean isOver(Interpreter side) {
        Journal journal = side.journal();
        return journal.hasEnded() && journal.isIdle() && !journal.outcomes().containsValue("no outcome")
                && journal.messages().stream().allMatch(each -> each.isDone() && each.isReleased());
    }

    /** Whether nothing more is to come. Checked twice, with turns of both loops in between. */
    private boolean isSettled(Interpreter client, Interpreter server) throws Exception {
        if (!hasNothingToDo(client, server) || !hasNothingToDo(server, client)) {
            client.readFromNowOn();
            server.readFromNowOn();
            return false;
        }
        for (int i = 0; i < TURNS; i++) {
            turn(client);
            turn(server);
        }
        return hasNothingToDo(client, server) && hasNothingToDo(server, client);
    }

    private static boolean hasNothingToDo(Interpreter side, Interpreter peer) {
        Journal own = side.journal();
        Journal theirs = peer.journal();
        if (!own.isIdle()) {
            return false;
        }
        long come = 0;
        for (Message message : own.messages()) {
            if (!message.isDone() && (message.isFlushed() || own.hasEnded())) {
                return false;
            }
            if (message.hasSucceeded()
                    || message.write().voidPromise() && message.isFlushed() && !own.isOutputEnded()) {
                come += message.write().size();
            }
        }
        boolean refused = theirs.isCloseAsked() || own.isAborted() || theirs.isInputEnded();
        return (refused || theirs.receivedBytes() >= come && (!own.isOutputEnded() || theirs.isInputEnded()))
                && !own.outcomes().containsValue("no outcome") && (!own.isCloseAsked() || own.isInputEnded());
    }

    private static void turn(Interpreter side) throws InterruptedException {
        Future<?> turned = side.channel().eventLoop().submit(() -> { });
        turned.sync();
    }

    /** Restarts the time limit whenever something has happened. */
    private void until(String what, Interpreter client, Interpreter server, Deadline.Condition condition)
            throws Exception {
        Deadline deadline = Deadline.ofSeconds(seconds);
        long before = -1;
        while (!condition.holds()) {
            long now = client.journal().entries() + server.journal().entries();
            if (now != before) {
                before = now;
                deadline = Deadline.ofSeconds(seconds);
            }
            deadline.pause(() -> what);
        }
    }

    private static String state(Interpreter side, Interpreter peer) {
        Journal journal = side.journal();
        return journal.events() + ", " + journal.messages() + ", others " + journal.outcomes() + ", received "
                + journal.received() + " of " + peer.journal().passed() + (journal.isIdle() ? "" : ", in flight");
    }

    /** Closes twice, as an ending loop does with a channel that does not close by itself. */
    private static void closeNow(SocketChannel channel) throws Exception {
        if (channel.isOpen()) {
            channel.config().setSoLinger(0);
            channel.close();
        }
        if (channel.isOpen()) {
            ((IoHandle) channel.unsafe()).close();
        }
    }

    /** Keeps a failed program from affecting those that follow. */
    private void closeBoth(Interpreter... sides) throws InterruptedException, ExecutionException {
        for (Interpreter side : sides) {
            SocketChannel channel = side.channel();
            if (channel == null || !channel.isRegistered()) {
                continue;
            }
            try {
                channel.eventLoop().submit(() -> {
                    closeNow(channel);
                    return null;
                }).get(Deadline.scaledMillis(1000),
                        TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                side.journal().problem("its loop stands still");
            }
        }
    }
}
