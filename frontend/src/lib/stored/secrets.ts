const SECRET_WORDS =
  /password|passwd|passphrase|secret|credential|token|jaas|(api|private|client|store)[._-]?key|BEGIN [A-Z ]*KEY/i;

/** True if a key or a text may name a secret. The browser keeps neither it nor its value. Pure. */
export function mayBeSecret(text: string): boolean {
  return SECRET_WORDS.test(text);
}
