import type { MarksReader } from "@/components/chart/marks";

/** The words of a chart: jsdom has no canvas to draw one. */
export default function FakeTimeChart({ label, marks }: { label: string; marks?: MarksReader }) {
  return (
    <>
      <div role="img" aria-label={label} />
      <ul aria-label="Marks">
        {marks?.().map(({ text }) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}
