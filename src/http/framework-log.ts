/** In charge of what Fastify has to say: its warnings become events, the rest says nothing that the events do not. */
import type { FastifyBaseLogger } from 'fastify';
import type { Telemetry } from '../telemetry/telemetry.ts';

export function createFrameworkLog(telemetry: Telemetry): FastifyBaseLogger {
  const skip = (): void => {};
  const warn = (first: unknown, text?: unknown): void => {
    const error = typeof first === 'object' && first !== null && 'err' in first ? first.err : first;
    telemetry.observe('framework_warning', { error: error instanceof Error ? error : undefined, text: String(text) });
  };
  const log = { level: 'warn', trace: skip, debug: skip, info: skip, silent: skip, warn, error: warn, fatal: warn };
  const framework: FastifyBaseLogger = { ...log, child: () => framework } as FastifyBaseLogger;
  return framework;
}
