import { expect, test } from "vitest";
import { mayBeSecret } from "@/lib/stored/secrets";

test.each([
  "sasl.jaas.config",
  "us-east.ssl.truststore.password = x",
  "ssl.keystore.key",
  "us-east.consumer.sasl.of.a.plugin",
  "ssl.of.a.plugin = x",
  "security.of.a.plugin",
  "a.b.api_key",
  "sasl.oauthbearer.client.credentials.client.secret",
  "-----BEGIN PRIVATE KEY-----",
])("%s may be a secret", (text) => expect(mayBeSecret(text)).toBe(true));

test.each([
  "tasks.max",
  "security.protocol = SSL",
  "clusters = a, b",
  "topics = keys.*",
  "topics = nossl.orders",
])("%s is none", (text) => expect(mayBeSecret(text)).toBe(false));
