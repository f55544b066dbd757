import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TopicInfo;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Topology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.requests.ResponseHeader;

/** Joins a Streams group (KIP-1071) with one state store, and leaves it: host, port, group, input topic, store. */
public class StreamsMember {
    private static final short VERSION = 0;

    public static void main(String[] arguments) throws Exception {
        String group = arguments[2];
        String member = UUID.randomUUID().toString();
        try (Socket socket = new Socket(arguments[0], Integer.parseInt(arguments[1]))) {
            socket.setSoTimeout(30_000);
            TopicInfo changelog = new TopicInfo().setName(group + "-" + arguments[4] + "-changelog").setReplicationFactor((short) 1);
            Subtopology part = new Subtopology().setSubtopologyId("0").setSourceTopics(List.of(arguments[3])).setStateChangelogTopics(List.of(changelog));
            send(socket, beat(group, member, 0)
                .setRebalanceTimeoutMs(10_000)
                .setProcessId("p")
                .setTopology(new Topology().setEpoch(0).setSubtopologies(List.of(part))));
            send(socket, beat(group, member, -1));
        }
    }

    private static StreamsGroupHeartbeatRequestData beat(String group, String member, int epoch) {
        return new StreamsGroupHeartbeatRequestData().setGroupId(group).setMemberId(member).setMemberEpoch(epoch)
            .setActiveTasks(List.of()).setStandbyTasks(List.of()).setWarmupTasks(List.of());
    }

    private static void send(Socket socket, StreamsGroupHeartbeatRequestData request) throws Exception {
        RequestHeader header = new RequestHeader(ApiKeys.STREAMS_GROUP_HEARTBEAT, VERSION, "member", 1);
        ByteBuffer bytes = RequestUtils.serialize(header.data(), header.headerVersion(), request, VERSION);
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeInt(bytes.remaining());
        out.write(bytes.array(), bytes.position(), bytes.remaining());
        out.flush();
        DataInputStream in = new DataInputStream(socket.getInputStream());
        ByteBuffer answer = ByteBuffer.wrap(in.readNBytes(in.readInt()));
        ResponseHeader.parse(answer, ApiKeys.STREAMS_GROUP_HEARTBEAT.responseHeaderVersion(VERSION));
        StreamsGroupHeartbeatResponseData found =
            new StreamsGroupHeartbeatResponseData(new ByteBufferAccessor(answer), VERSION);
        if (found.errorCode() != 0) {
            throw new IllegalStateException(found.errorCode() + " " + found.errorMessage());
        }
        System.out.println("epoch " + found.memberEpoch() + " " + found.status());
    }
}
