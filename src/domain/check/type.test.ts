/** Tests type.ts: the JSON Schema that is built, and the type of its values, which the compiler checks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Static, Type } from './type.ts';

const Size = Type.Object({ width: Type.Number({ minimum: 0 }) }, { title: 'Size' });
const Body = Type.Object({
  name: Type.String(),
  sizes: Type.Optional(Type.Array(Size, { maxItems: 2 })),
  note: Type.Union([Type.Boolean(), Type.Null()]),
});

describe('a schema', () => {
  it('is plain JSON Schema, without marks of its own', () => {
    const size = { type: 'object', required: ['width'], properties: { width: { type: 'number', minimum: 0 } } };
    assert.deepEqual(Body, {
      type: 'object',
      required: ['name', 'note'],
      properties: {
        name: { type: 'string' },
        sizes: { type: 'array', items: { ...size, title: 'Size' }, maxItems: 2 },
        note: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      },
    });
    assert.deepEqual(Type.Object({ ...Body.properties, name: Type.Optional(Type.String()) }), {
      ...Body,
      required: ['note'],
    });
  });

  it('can have all properties required or optional', () => {
    assert.deepEqual((Type.Required(Body) as { required?: unknown }).required, ['name', 'sizes', 'note']);
    assert.ok(!('required' in Type.Partial(Body)));
    assert.ok(!('required' in Type.Object(Type.Partial(Body).properties)));
  });

  it('has the type of its values', () => {
    const valid: Static<typeof Body>[] = [
      { name: 'a', note: null },
      { name: 'a', note: true, sizes: [{ width: 1 }] },
    ];
    const invalid: Static<typeof Body>[] = [
      // @ts-expect-error: a property is missing
      { name: 'a' },
      // @ts-expect-error: a property has another type
      { name: 1, note: null },
      // @ts-expect-error: an entry has another type
      { name: 'a', note: null, sizes: [{ width: '1' }] },
      // @ts-expect-error: a property is unknown
      { name: 'a', note: null, other: 1 },
    ];
    const named: Static<ReturnType<typeof Type.Unsafe<'a' | 'b'>>> = 'a';
    assert.deepEqual([valid.length, invalid.length, named], [2, 4, 'a']);
  });
});
