/** What each verb is called, what it does to a flow or to a part of it, and the verb that takes it back. */
import type { Verb } from "@/features/orders/order";

export const VERBS: Record<Verb, { title: string; flow: string; part: string; task?: string; undo?: Verb }> =
  {
    pause: {
      title: "Pause",
      flow: "No topic of the flow is copied, and every position is kept. Retention on the source continues: a long pause can lose records.",
      part: "It is not read until the pause ends or someone resumes it. It stays with its task, and the rest of the flow continues.",
      undo: "resume",
    },
    resume: {
      title: "Resume",
      flow: "Every partition continues where it stopped. Pauses of topics remain.",
      part: "It is read again from its position. Its pauses end.",
    },
    stop: {
      title: "Stop",
      flow: "All tasks of the flow end, including its heartbeat task. Positions are kept. Retention on the source continues: a long stop can lose records.",
      part: "It leaves its task after the records in flight are committed. Its position is kept, and the rest of the flow continues.",
      undo: "start",
    },
    start: {
      title: "Start",
      flow: "The tasks of the flow start from their positions.",
      part: "It returns to a task and continues from its position.",
    },
    restart: {
      title: "Restart",
      flow: "All tasks of the flow end and start again from their committed positions.",
      part: "Records in flight are dropped, and it starts again from its committed position. Other partitions are not interrupted.",
      task: "The task ends and starts again from its committed positions. The other tasks of the flow continue.",
    },
  };
