/** Schemas that many portal responses share: times, nullable values, counts. */
import type { BodySchema } from '../../domain/check/schema.ts';
import { Whole } from '../../domain/check/schema.ts';
import { type Static, type TSchema, Type } from '../../domain/check/type.ts';
import { isoTime } from '../../domain/vocabulary/iso-time.ts';

/** ISO 8601, UTC. */
export function Time(description: string) {
  return Type.String({ description: `${description} ISO 8601, UTC.` });
}

/** Allows null as well. The schema must have no `enum`. */
export function OrNull<T extends TSchema>(schema: T, description?: string) {
  const { type } = schema as BodySchema;
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [type, 'null'],
    ...(description === undefined ? {} : { description }),
  });
}

export function Count(description: string) {
  return Whole(0, Number.MAX_SAFE_INTEGER, { description });
}

export function isoTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}

/** Whole seconds, rounded down. */
export function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
