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
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.CharsetUtil;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes down what a pipeline is notified of, and releases what it reads. */
final class Recorder extends ChannelInboundHandlerAdapter {

    final List<String> events = new ArrayList<>();
    private final Map<String, Runnable> actions = new HashMap<>();
    Throwable caught;

    /** Runs an action within the handler, at the first such event. */
    void at(String event, Runnable action) {
        actions.put(event, action);
    }

    private void add(String event) {
        events.add(event);
        Runnable action = actions.remove(event);
        if (action != null) {
            action.run();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        add("active");
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        add("inactive");
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        String text = buffer.toString(CharsetUtil.US_ASCII);
        buffer.release();
        add("read " + text);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        add("complete");
        context.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        add(context.channel().isWritable() ? "writable" : "unwritable");
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        add(event.getClass().getSimpleName());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        caught = cause;
        add("caught");
    }
}
