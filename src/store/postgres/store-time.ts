/** The time of tables that processes share. */
export { STORE_MS } from '../shared/store-time.ts';
