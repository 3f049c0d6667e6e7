/** Messages between a test and the process that runs its PostgreSQL; one request at a time. */

export interface ServerOptions {
  /** Commits reach the disk, as in production. */
  readonly durable?: boolean;
  /** More settings, such as `shared_buffers=1GB`. */
  readonly settings?: readonly string[];
}

/** SIGINT closes connections and shuts down; SIGQUIT stops immediately, as a crash does. */
export type StopSignal = 'SIGINT' | 'SIGQUIT';

export interface KeeperRequest {
  /** `create` also starts the server. */
  readonly request: 'create' | 'start' | 'stop';
  readonly options?: ServerOptions;
  readonly signal?: StopSignal;
}

export type KeeperAnswer =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly reason: string };
