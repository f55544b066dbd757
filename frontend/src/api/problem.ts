/** A failed request as the page reports it: what failed, and the id that finds it in the service's log. */

export interface ProblemDocument {
  title?: string;
  detail?: string;
  status?: number;
  request_id?: string | null;
}

export class ApiProblem extends Error {
  readonly status: number;
  readonly requestId: string | null;

  constructor(status: number, document: ProblemDocument | undefined) {
    super(document?.detail || document?.title || `The service answered ${status}.`);
    this.name = "ApiProblem";
    this.status = status;
    this.requestId = document?.request_id ?? null;
  }
}

/** The service did not respond. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super("The service does not answer. The page keeps trying.", { cause });
    this.name = "Unreachable";
  }
}
