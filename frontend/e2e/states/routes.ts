/** Every address of the page, as the tests of its states visit them. */

const FLOW = "/replications/us-east/eu-central";

export const ROUTES: readonly string[] = [
  "/replications",
  FLOW,
  ...["topics", "groups", "tasks", "events", "orders", "configuration"].map((tab) => `${FLOW}?tab=${tab}`),
  `${FLOW}/topics/orders`,
  `${FLOW}/topics/orders/record?partition=3&offset=48000001`,
  "/replications/new",
  "/clusters",
  "/clusters/new",
  "/clusters/us-west",
  "/clusters/us-west/edit",
  "/drivers",
  "/drivers/driver-1",
  "/services",
  "/configuration",
  "/configuration/keys",
  "/configuration/review?draft=1",
  "/configuration/history",
  "/configuration/transfer",
  "/settings",
];

const DEFINED = ["us-west", "driver-1", FLOW];

/** The routes that exist without any cluster and flow. */
export const ROUTES_OF_NOTHING = ROUTES.filter((path) => !DEFINED.some((name) => path.includes(name)));
