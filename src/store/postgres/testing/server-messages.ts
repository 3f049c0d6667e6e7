/** What a test asks of the keeper of its PostgreSQL, and what it is answered; one request at a time. */

export interface ServerOptions {
  /** Commits reach the disk, as in production. */
  readonly durable?: boolean;
  /** Others, such as `shared_buffers=1GB`. */
  readonly settings?: readonly string[];
}

/** SIGINT ends connections and stops in good order; SIGQUIT leaves everything as it is, as a crash does. */
export type StopSignal = 'SIGINT' | 'SIGQUIT';

export interface KeeperRequest {
  /** `create` starts it too. */
  readonly request: 'create' | 'start' | 'stop';
  readonly options?: ServerOptions;
  readonly signal?: StopSignal;
}

export type KeeperAnswer =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly reason: string };
