/** What each verb is called, what it does to a flow or to a part of it, and the verb that takes it back. */
import type { Verb } from "@/features/orders/order";

export const VERBS: Record<Verb, { title: string; flow: string; part: string; task?: string; undo?: Verb }> =
  {
    pause: {
      title: "Pause",
      flow: "No topic of the flow is copied, and every position is kept. Retention on the source continues: a long pause can lose records.",
      part: "It is not read until the pause ends or is taken back. It stays in its task, and the others continue.",
      undo: "resume",
    },
    resume: {
      title: "Resume",
      flow: "Every partition continues where it stopped. Pauses of topics remain.",
      part: "It is read again, at its position. Its pauses end.",
    },
    stop: {
      title: "Stop",
      flow: "All tasks of the flow end, including its heartbeat task. Positions are kept. Retention on the source continues: a long stop can lose records.",
      part: "It leaves its task; what is on its way is committed first. Its position is kept, and the others continue.",
      undo: "start",
    },
    start: {
      title: "Start",
      flow: "The tasks of the flow start, at their positions.",
      part: "It returns to a task, at its position.",
    },
    restart: {
      title: "Restart",
      flow: "All tasks of the flow end and begin again at their committed positions.",
      part: "What is on its way is dropped, and it begins again at its committed position. No other partition pauses.",
      task: "The task ends and begins again at its committed positions. The other tasks of the flow continue.",
    },
  };
