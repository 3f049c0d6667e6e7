/** Reads the current environment from the URL, and remembers the last one used. */
import { useParams } from '@tanstack/react-router';
import type { Environment, Session } from '../api/session.ts';

const KEY = 'offerbook-environment';

export function useEnvironment(): Environment {
  return useParams({ from: '/$environment' }).environment;
}

/** Returns the environment used last. The default is live, or test in the demo, whose first steps use test. */
export function lastEnvironment({ demo }: Session): Environment {
  const kept = localStorage.getItem(KEY);
  return kept === 'test' || kept === 'live' ? kept : demo ? 'test' : 'live';
}

export function keepEnvironment(environment: Environment): void {
  localStorage.setItem(KEY, environment);
}
