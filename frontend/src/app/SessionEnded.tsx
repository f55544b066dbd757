import { Suspense, useEffect, useState } from "react";
import { onSessionEnded } from "@/api/client";
import { lazyPart } from "@/lib/view/lazy-part";
import { useConnectionWord } from "@/live/context";

const SignInDialog = lazyPart(() => import("@/app/SignInDialog"));

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
