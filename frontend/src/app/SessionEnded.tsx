import { lazy, Suspense, useEffect, useState } from "react";
import { onSessionEnded } from "@/api/client";
import { useConnection } from "@/live/context";

const SignInDialog = lazy(() => import("@/app/SignInDialog"));

/** Notices by the socket or by REST that nobody is signed in any more. */
export function SessionEnded() {
  const { word } = useConnection();
  const [isEnded, setEnded] = useState(false);
  useEffect(() => onSessionEnded(() => setEnded(true)), []);
  if (!isEnded && word !== "signed_out") return null;
  return (
    <Suspense fallback={null}>
      <SignInDialog />
    </Suspense>
  );
}
