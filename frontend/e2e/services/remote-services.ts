/** Other services as the fake service lists them: one that answers, one that is silent, and a forged one. */
import type { RemoteService, RemoteServices } from "../../src/api/types.ts";

export function remoteServices(time_ms: number): RemoteServices {
  const cluster = { sent_ms: null, send_error: null, read_ms: time_ms - 2_000, read_error: null };
  return {
    items: [
      serviceOf("ap-south", "https://srm.ap.example:6670", time_ms),
      serviceOf("us-west", "https://srm.us.example:6670", time_ms, {
        problem: "It does not answer within 1000 ms.",
        is_other_version: true,
        version: "0.0.9",
        clock_difference_ms: 3_600_000,
      }),
      serviceOf("us-west", "http://srm.us.example.evil:80", time_ms, {
        use: "not_allowed",
        is_first: false,
        problem: "The address is not allowed: add it to SRM_REMOTE_ADDRESSES if you trust it.",
        clock_difference_ms: null,
        round_trip_ms: null,
        requests: 0,
        received_bytes: 0,
      }),
    ],
    next_cursor: null,
    as_of_ms: time_ms,
    partial: [],
    own: {
      id: "4f6c.a1",
      address: "https://srm.eu.example:6670",
      targets: ["eu-central"],
      version: "0.1.0",
      interval_ms: 10_000,
    },
    clusters: [
      { ...cluster, alias: "ap-south", is_target: false, is_remote_target: true, refused: {} },
      {
        ...cluster,
        alias: "eu-central",
        is_target: true,
        is_remote_target: false,
        sent_ms: time_ms - 3_000,
        read_ms: null,
        refused: {},
      },
      {
        ...cluster,
        alias: "us-west",
        is_target: false,
        is_remote_target: true,
        refused: { "e.1": "service advertisement: the value is not JSON" },
      },
    ],
  };
}

function serviceOf(
  cluster: string,
  address: string,
  time_ms: number,
  change: Partial<RemoteService> = {},
): RemoteService {
  return {
    id: `${cluster} ${address}`,
    address,
    cluster,
    targets: [cluster],
    state: "live",
    age_ms: 4_000,
    interval_ms: 10_000,
    started_ms: time_ms - 7_440_000,
    version: "0.1.0",
    is_other_version: false,
    use: "asked",
    is_first: true,
    problem: null,
    clock_difference_ms: 20,
    asked_ms: time_ms - 900,
    answered_ms: time_ms - 900,
    round_trip_ms: 12,
    requests: 4_711,
    received_bytes: 9_200_000,
    ...change,
  };
}
