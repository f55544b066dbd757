/** Clusters, drivers and services. */
import { pictures } from "./pictures.ts";
import { press, viewing } from "./steps.ts";

pictures({
  clusters: { path: "/clusters" },
  "clusters-no-match": { path: "/clusters?q=nothing" },
  "clusters-columns-menu": { path: "/clusters", act: press("Columns of the clusters") },
  "clusters-sorted": {
    path: "/clusters?clusters_sort=-reachability&clusters_columns=reachability,criticality,labels,cluster_id",
  },
  cluster: { path: "/clusters/analytics" },
  "cluster-in-columns-menu": { path: "/clusters/analytics", act: press("Columns of the flows in") },
  "cluster-out-columns-menu": { path: "/clusters/us-east", act: press("Columns of the flows out") },
  "cluster-sorted": {
    path: "/clusters/us-east?in_sort=-throughput&out_sort=-lag&out_columns=status,throughput,heartbeat,lag,p95,topics",
  },
  "cluster-tested": {
    path: "/clusters/us-west",
    act: async (page) => {
      await press("Test the connection")(page);
      await page.getByText("The test failed").waitFor();
    },
  },
  "cluster-missing": { path: "/clusters/nowhere" },
  "cluster-viewer": { path: "/clusters/us-west", service: viewing },
  "cluster-delete": { path: "/clusters/us-west", act: press("Delete") },
  "cluster-edit": { path: "/clusters/us-west/edit" },
  "cluster-edit-conflict": {
    path: "/clusters/us-west/edit",
    act: async (page) => {
      await page.getByLabel("Owner").fill("payments");
      await press("Save the cluster")(page);
      await page.getByRole("region", { name: "Changes since you opened this page" }).waitFor();
    },
  },
  "new-cluster": { path: "/clusters/new" },
  "new-cluster-refused": { path: "/clusters/new", act: press("Add the cluster") },
  "clusters-commands": { path: "/clusters", act: press(/^Command and request/) },
  "cluster-edit-refused": {
    path: "/clusters/us-west/edit",
    act: async (page) => {
      await page.getByLabel("Bootstrap servers").fill("");
      await press("Save the cluster")(page);
    },
  },
  "new-cluster-sasl": {
    path: "/clusters/new",
    act: async (page) => {
      await page.getByLabel("Protocol").selectOption("SASL_SSL");
      await page.getByLabel("SASL mechanism").selectOption("PLAIN");
    },
  },
  "new-cluster-viewer": { path: "/clusters/new", service: viewing },
  drivers: { path: "/drivers" },
  "drivers-columns-menu": { path: "/drivers", act: press("Columns of the drivers") },
  "drivers-sorted": { path: "/drivers?drivers_sort=-cpu&matrix_sort=-driver_0&moves_sort=reason" },
  "drivers-viewer": { path: "/drivers", service: viewing },
  "drivers-drain": { path: "/drivers", act: press("Drain driver-1") },
  "drivers-restart": { path: "/drivers", act: press(/^Restart/) },
  driver: { path: "/drivers/driver-1" },
  "driver-viewer": { path: "/drivers/driver-1", service: viewing },
  "driver-unknown": { path: "/drivers/nowhere" },
  settings: { path: "/settings" },
  services: { path: "/services" },
  "services-columns-menu": { path: "/services", act: press("Columns of the services") },
  "services-sorted": { path: "/services?services_sort=-requests&advertisements_sort=-read" },
});
