// How the server and the cluster that it pretends to be introduce themselves.

/** How the server introduces itself. */
export interface Identity {
  readonly version: string;
  readonly clusterName: string;
}

/** The name of the cluster's one history. */
export const CLUSTER_UUID = 'lockstitch-search-000000';

/** The build that the server reports. */
export const BUILD_HASH = 'unknown';
