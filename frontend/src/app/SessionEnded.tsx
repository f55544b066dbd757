import { lazy, Suspense, useEffect, useState } from "react";
import { onSessionEnded } from "@/api/client";
import { useConnectionWord } from "@/live/context";

const SignInDialog = lazy(() => import("@/app/SignInDialog"));

/** Opens the sign-in dialog when the socket or REST reports that the session has ended. */
export function SessionEnded() {
  const word = useConnectionWord();
  const [isEnded, setEnded] = useState(false);
  useEffect(() => onSessionEnded(() => setEnded(true)), []);
  if (!isEnded && word !== "signed_out") return null;
  return (
    <Suspense fallback={null}>
      <SignInDialog />
    </Suspense>
  );
}
