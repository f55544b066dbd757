import { Component, type ReactNode } from "react";
import { RefreshButton } from "@/components/answer/RefreshButton";
import { ErrorState } from "@/components/states";
import { loadAgain } from "@/lib/view/lazy-part";

interface ErrorBoundaryProps {
  what: string;
  /** true: there is room for a button only */
  isSmall?: boolean;
  children: ReactNode;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    const { what, isSmall = false } = this.props;
    const retry = () => {
      loadAgain(this.state.error);
      this.setState({ error: null });
    };
    if (isSmall) return <RefreshButton label={`${what}: retry`} onRefresh={retry} />;
    return <ErrorState what={what} error={this.state.error} onRetry={retry} />;
  }
}
