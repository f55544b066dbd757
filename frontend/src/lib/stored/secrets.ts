const SECRET_WORDS =
  /password|passwd|passphrase|secret|credential|token|jaas|(api|private|client|store)[._-]?key|BEGIN [A-Z ]*KEY/i;
/** Every key of a client's security but this one: only the service knows which of them are public. */
const CLIENT_SECURITY = /(?<![^.\s])(?:sasl|ssl|security(?!\.protocol))\./i;

/**
 * True if a key or a text may name a secret. The browser keeps neither it nor its value. It takes more for a secret
 * than the service does, as a value that is typed again costs less than one that is read by somebody else. Pure.
 */
export function mayBeSecret(text: string): boolean {
  return SECRET_WORDS.test(text) || CLIENT_SECURITY.test(text);
}
