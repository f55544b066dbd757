import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentPropsWithRef } from "react";

/** A link of the router that looks like a button. */
export const LinkButton = createLink((props: ButtonProps & ComponentPropsWithRef<"a">) => (
  <Button component="a" {...props} />
));
