import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { DescriptionFields } from "@/components/description/DescriptionFields";
import { DESCRIPTION_FIELDS } from "@/components/description/description";
import { reasonIn } from "@/components/form/FormProblem";
import { FormSection } from "@/components/form/FormSection";
import {
  type ClusterForm,
  formErrors,
  hasUser,
  LOGIN,
  MECHANISM,
  OWN_KEYS,
  PROTOCOL,
  SECRETS,
  secretsFor,
  TRUSTSTORE,
  takesPassword,
  usesSasl,
  usesTls,
} from "@/features/clusters/cluster-form";

export interface ClusterFieldsProps {
  form: ClusterForm;
  change: (change: Partial<ClusterForm>) => void;
  /** the names of secrets that are stored */
  stored: readonly string[];
  isNew: boolean;
  /** true once the form was sent: only then are missing fields named */
  isSent: boolean;
  /** why the service refused fields that have not changed since */
  reasons: Readonly<Record<string, string>>;
}

/** The fields whose error is shown beside them. */
export const SHOWN_FIELDS = ["alias", "bootstrap", "client", "secrets", ...DESCRIPTION_FIELDS, "location"];

const PROTOCOLS = ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"];
const MECHANISMS = ["", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI", "OAUTHBEARER"];

export function ClusterFields(props: ClusterFieldsProps) {
  const { form, change, isNew, isSent, reasons } = props;
  const found = formErrors(form);
  const missing = isSent ? found : {};
  const [left, setLeft] = useState<Partial<Record<keyof ClusterForm, boolean>>>({});
  // a field that is left empty is named once the form is sent
  const onLeft = (name: "alias" | "bootstrap") =>
    isSent || (left[name] && form[name].trim() !== "") ? found[name] : undefined;
  const leave = (name: "alias" | "bootstrap") => () => setLeft((before) => ({ ...before, [name]: true }));
  return (
    <>
      <FormSection title="Address" text="A few brokers are enough: they name the others.">
        <TextInput
          label="Alias"
          description="Short and stable; remote topics begin with it"
          required
          disabled={!isNew}
          maxLength={100}
          value={form.alias}
          onBlur={leave("alias")}
          error={onLeft("alias") ?? reasonIn(reasons, "alias")}
          onChange={(event) => change({ alias: event.currentTarget.value })}
        />
        <NativeSelect
          label="Location"
          description="For an external cluster, enter all security settings"
          data={[
            { value: "colocated", label: "Co-located" },
            { value: "external", label: "External" },
          ]}
          value={form.location}
          error={reasonIn(reasons, "location")}
          onChange={(event) => change({ location: event.currentTarget.value as ClusterForm["location"] })}
        />
        <Textarea
          className="form-wide"
          label="Bootstrap servers"
          description="host:port, one per line"
          required
          autosize={false}
          rows={3}
          value={form.bootstrap}
          onBlur={leave("bootstrap")}
          error={onLeft("bootstrap") ?? reasonIn(reasons, "bootstrap")}
          onChange={(event) => change({ bootstrap: event.currentTarget.value })}
        />
      </FormSection>
      <Security {...props} />
      <FormSection title="Description" text="For the people who look after this cluster.">
        <DescriptionFields
          form={form}
          change={change}
          errors={Object.fromEntries(
            DESCRIPTION_FIELDS.map((field) => [field, missing[field] ?? reasonIn(reasons, field)]),
          )}
        />
        <TextInput
          className="form-wide"
          label="Comment"
          description="Reason for the change; shown in the history of the configuration and in the audit trail"
          maxLength={500}
          value={form.comment}
          onChange={(event) => change({ comment: event.currentTarget.value })}
        />
      </FormSection>
    </>
  );
}

function Security({ form, change, stored, isSent, reasons }: ClusterFieldsProps) {
  const login = hasUser(form) ? reasonIn(reasons, `secrets.${LOGIN}`) : undefined;
  const others = Object.entries(reasons).filter(
    ([name]) => !OWN_KEYS.some((key) => name === `client.${key}`),
  );
  const missing = isSent ? formErrors(form) : {};
  const refused = (key: string) => reasonIn(reasons, `secrets.${key}`);
  const isTls = usesTls(form.protocol);
  const isSasl = usesSasl(form.protocol);
  return (
    <FormSection
      title="Security"
      text="Secrets are write-only: they are stored encrypted and never shown again. References such as ${file:path:key} and ${env:NAME} are allowed."
    >
      <NativeSelect
        label="Protocol"
        data={PROTOCOLS}
        value={form.protocol}
        error={reasonIn(reasons, `client.${PROTOCOL}`)}
        onChange={(event) => change({ protocol: event.currentTarget.value })}
      />
      {isSasl && (
        <NativeSelect
          label="SASL mechanism"
          data={MECHANISMS.map((value) => ({ value, label: value || "Choose a mechanism" }))}
          value={form.mechanism}
          error={reasonIn(reasons, `client.${MECHANISM}`)}
          onChange={(event) => change({ mechanism: event.currentTarget.value })}
        />
      )}
      {isTls && (
        <TextInput
          label="Truststore"
          description="Path on the drivers and on the service"
          value={form.truststore}
          error={reasonIn(reasons, `client.${TRUSTSTORE}`)}
          onChange={(event) => change({ truststore: event.currentTarget.value })}
        />
      )}
      {isSasl && takesPassword(form.mechanism) && (
        <>
          <TextInput
            label="User name"
            autoComplete="off"
            value={form.user}
            error={login !== undefined}
            onChange={(event) => change({ user: event.currentTarget.value })}
          />
          <TextInput
            label="Password"
            description={
              stored.includes(LOGIN) && login === undefined
                ? "A login is stored; leave empty to keep it"
                : undefined
            }
            type="password"
            autoComplete="new-password"
            value={form.password}
            error={login}
            onChange={(event) => change({ password: event.currentTarget.value })}
          />
        </>
      )}
      {secretsFor(form.protocol).map((key) => (
        <TextInput
          key={key}
          label={SECRETS[key]}
          description={
            <>
              <code>{key}</code>
              {stored.includes(key) && refused(key) === undefined && ": stored; leave empty to keep it"}
            </>
          }
          type="password"
          autoComplete="new-password"
          value={form.secrets[key] ?? ""}
          error={key === LOGIN && hasUser(form) ? undefined : refused(key)}
          onChange={(event) => change({ secrets: { ...form.secrets, [key]: event.currentTarget.value } })}
        />
      ))}
      <Textarea
        className="form-wide"
        label="Other client settings"
        description="key=value, one per line, with the property names of Kafka's Java clients"
        rows={3}
        value={form.others}
        error={missing.others ?? reasonIn(Object.fromEntries(others), "client")}
        onChange={(event) => change({ others: event.currentTarget.value })}
      />
    </FormSection>
  );
}
