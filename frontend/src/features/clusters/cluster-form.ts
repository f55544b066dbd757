/** The fields of the form of a cluster, and the request that they make. */

import { ALIAS } from "@/api/schema-values";
import type { Cluster, ClusterChange, ClusterDefinition } from "@/api/types";
import {
  type DescriptionForm,
  descriptionErrors,
  descriptionFormOf,
  descriptionOf,
  EMPTY_DESCRIPTION,
} from "@/components/description/description";
import { linesOf, lineWithoutPair, pairsOf, pairsText } from "@/components/form/lines";
import { inQuotes, sentence } from "@/lib/words";

export interface ClusterForm extends DescriptionForm {
  alias: string;
  bootstrap: string;
  location: Cluster["location"];
  protocol: string;
  mechanism: string;
  truststore: string;
  /** other client settings, `key=value` a line */
  others: string;
  user: string;
  password: string;
  /** secrets by their key; empty: not changed */
  secrets: Record<string, string>;
  comment: string;
}

export const PROTOCOL = "security.protocol";
export const MECHANISM = "sasl.mechanism";
export const TRUSTSTORE = "ssl.truststore.location";
export const LOGIN = "sasl.jaas.config";
export const OWN_KEYS = [PROTOCOL, MECHANISM, TRUSTSTORE];
const HIGHEST_PORT = 65_535;

/** The secrets that the form asks for, with the words beside their field. */
export const SECRETS: Readonly<Record<string, string>> = {
  [LOGIN]: "Login configuration",
  "ssl.truststore.password": "Truststore password",
  "ssl.keystore.password": "Keystore password",
  "ssl.key.password": "Key password",
};

/** The secrets whose fields a protocol shows; the others are not sent. */
export function secretsFor(protocol: string): string[] {
  return Object.keys(SECRETS).filter((key) =>
    key.startsWith("ssl.") ? usesTls(protocol) : usesSasl(protocol),
  );
}

const LOGIN_MODULES: Readonly<Record<string, string>> = {
  PLAIN: "org.apache.kafka.common.security.plain.PlainLoginModule",
  "SCRAM-SHA-256": "org.apache.kafka.common.security.scram.ScramLoginModule",
  "SCRAM-SHA-512": "org.apache.kafka.common.security.scram.ScramLoginModule",
};

export const EMPTY_FORM: ClusterForm = {
  alias: "",
  bootstrap: "",
  location: "colocated",
  protocol: "PLAINTEXT",
  mechanism: "",
  truststore: "",
  others: "",
  user: "",
  password: "",
  secrets: {},
  ...EMPTY_DESCRIPTION,
  comment: "",
};

/** What may be kept in the browser: everything but the secrets. */
export function withoutSecrets(form: ClusterForm): Partial<ClusterForm> {
  return { ...form, password: "", secrets: {} };
}

export const usesTls = (protocol: string) => protocol.endsWith("SSL");
export const usesSasl = (protocol: string) => protocol.startsWith("SASL");
export const takesPassword = (mechanism: string) => mechanism in LOGIN_MODULES;

export function formOf(cluster: Cluster): ClusterForm {
  const others = Object.entries(cluster.client).filter(([key]) => !OWN_KEYS.includes(key));
  return {
    ...EMPTY_FORM,
    alias: cluster.alias,
    bootstrap: cluster.bootstrap.join("\n"),
    location: cluster.location,
    protocol: cluster.client[PROTOCOL] ?? "PLAINTEXT",
    mechanism: cluster.client[MECHANISM] ?? "",
    truststore: cluster.client[TRUSTSTORE] ?? "",
    others: pairsText(Object.fromEntries(others)),
    ...descriptionFormOf(cluster),
  };
}

/** The reasons why the form cannot be sent, by field. */
export function formErrors(form: ClusterForm): Partial<Record<keyof ClusterForm, string>> {
  const found = {
    alias: aliasError(form.alias.trim()),
    bootstrap: addressError(form.bootstrap),
    others: pairsError(form.others),
    ...descriptionErrors(form),
  };
  return Object.fromEntries(Object.entries(found).filter(([, reason]) => reason !== undefined));
}

function aliasError(alias: string): string | undefined {
  if (alias === "") return "Enter an alias.";
  return new RegExp(ALIAS.pattern).test(alias) ? undefined : sentence(ALIAS.rule);
}

/** A reference such as `${env:NAME}` is known to the service only. */
function addressError(text: string): string | undefined {
  const servers = linesOf(text);
  if (servers.length === 0) return "Enter at least one host:port.";
  const wrong = servers.filter((server) => !server.includes("${") && !isAddress(server));
  if (wrong.length === 0) return undefined;
  return `Write host:port, with a port of 1 to ${HIGHEST_PORT}: found ${wrong.map(inQuotes).join(", ")}.`;
}

function isAddress(server: string): boolean {
  const port = Number(/[^:\s]:(\d{1,5})$/.exec(server)?.[1] ?? 0);
  return port >= 1 && port <= HIGHEST_PORT;
}

function pairsError(text: string): string | undefined {
  const line = lineWithoutPair(text);
  return line === undefined ? undefined : `Write one key=value a line: found ${inQuotes(line.trim())}.`;
}

/** The fields in which a person types what the service names. */
export function typedIn(name: string): readonly (keyof ClusterForm)[] {
  if (name.startsWith("client")) return ["protocol", "mechanism", "truststore", "others"];
  // a stored secret is for the stored address only
  if (name.startsWith("secrets")) return ["secrets", "user", "password", "bootstrap", "protocol"];
  return Object.keys(EMPTY_FORM).filter((field) => name.split(".")[0] === field) as (keyof ClusterForm)[];
}

/** True if a person enters the login as a user name with a password. */
export const hasUser = (form: ClusterForm) =>
  usesSasl(form.protocol) && takesPassword(form.mechanism) && !form.secrets[LOGIN];

function clientOf(form: ClusterForm): Record<string, string> {
  const sasl = usesSasl(form.protocol);
  return {
    ...pairsOf(form.others),
    ...(form.protocol !== "PLAINTEXT" && { [PROTOCOL]: form.protocol }),
    ...(sasl && form.mechanism !== "" && { [MECHANISM]: form.mechanism }),
    ...(usesTls(form.protocol) && form.truststore.trim() !== "" && { [TRUSTSTORE]: form.truststore.trim() }),
  };
}

const quoted = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/** The secrets that were typed; a user with a password becomes a login configuration. */
function secretsOf(form: ClusterForm): Record<string, string> {
  const shown = secretsFor(form.protocol);
  const typed = Object.fromEntries(
    Object.entries(form.secrets).filter(([key, value]) => value !== "" && shown.includes(key)),
  );
  const module = LOGIN_MODULES[form.mechanism];
  if (!usesSasl(form.protocol) || module === undefined || form.password === "") return typed;
  const login = `${module} required username=${quoted(form.user)} password=${quoted(form.password)};`;
  return { [LOGIN]: login, ...typed };
}

/** The settings that a connection test uses. */
export function connectionOf(form: ClusterForm) {
  return { bootstrap: linesOf(form.bootstrap), client: clientOf(form), secrets: secretsOf(form) };
}

/** True if the form connects in another way than the stored cluster, or there is none. */
export function changesConnection(form: ClusterForm, stored: Cluster | undefined): boolean {
  if (stored === undefined) return true;
  return JSON.stringify(connectionOf(form)) !== JSON.stringify(connectionOf(formOf(stored)));
}

function common(form: ClusterForm) {
  return {
    bootstrap: linesOf(form.bootstrap),
    location: form.location,
    ...descriptionOf(form),
    comment: form.comment.trim(),
  };
}

export function definitionOf(form: ClusterForm): ClusterDefinition {
  return { alias: form.alias.trim(), ...common(form), ...connectionOf(form) };
}

/** The change of a cluster: settings that the form no longer has are removed. */
export function changeOf(form: ClusterForm, cluster: Cluster): ClusterChange {
  const client = clientOf(form);
  const gone = Object.keys(cluster.client).filter((key) => !(key in client));
  return {
    ...common(form),
    client: { ...Object.fromEntries(gone.map((key) => [key, null])), ...client },
    secrets: secretsOf(form),
  };
}
