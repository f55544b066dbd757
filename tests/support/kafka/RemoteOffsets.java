import java.time.Duration;
import java.util.Map;
import java.util.TreeSet;
import org.apache.kafka.connect.mirror.MirrorClient;
import org.apache.kafka.connect.mirror.RemoteClusterUtils;

/** Prints what Java's client of MirrorMaker knows of a target cluster: bootstrap servers, source alias, groups. */
public class RemoteOffsets {
    public static void main(String[] arguments) throws Exception {
        Map<String, Object> properties = Map.of("bootstrap.servers", arguments[0]);
        String source = arguments[1];
        try (MirrorClient client = new MirrorClient(properties)) {
            System.out.println("upstream " + String.join(",", new TreeSet<>(client.upstreamClusters())));
            System.out.println("checkpoints " + String.join(",", new TreeSet<>(client.checkpointTopics())));
            System.out.println("heartbeats " + String.join(",", new TreeSet<>(client.heartbeatTopics())));
            System.out.println("hops " + client.replicationHops(source));
            System.out.println("remote " + String.join(",", new TreeSet<>(client.remoteTopics(source))));
        }
        for (int at = 2; at < arguments.length; at++) {
            String group = arguments[at];
            RemoteClusterUtils.translateOffsets(properties, source, group, Duration.ofSeconds(30)).forEach(
                (place, found) -> System.out.println(
                    "offset " + group + " " + place.topic() + " " + place.partition() + " " + found.offset()));
        }
    }
}
