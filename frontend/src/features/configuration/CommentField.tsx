import { TextInput } from "@mantine/core";

interface CommentFieldProps {
  value: string;
  onChange: (comment: string) => void;
}

/** The comment of a version. */
export function CommentField({ value, onChange }: CommentFieldProps) {
  return (
    <TextInput
      className="form-short"
      label="Comment"
      description="The reason, shown with the version and in the audit trail"
      maxLength={500}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
