import { Component, type ReactNode } from "react";
import { ErrorState } from "@/components/states";

interface ErrorBoundaryProps {
  what: string;
  children: ReactNode;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, { error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <ErrorState
        what={this.props.what}
        error={this.state.error}
        onRetry={() => this.setState({ error: null })}
      />
    );
  }
}
