/** Writes schemas for an OpenAPI document with the operator's names, each shared schema once. */
import { isDeepStrictEqual } from 'node:util';
import type { BodySchema } from '../../domain/check/schema.ts';
import type { Names } from '../../domain/names.ts';

/** Responses may be one of several schemas; bodies are always one. */
interface ShownSchema extends BodySchema {
  $ref?: string;
  anyOf?: readonly ShownSchema[];
}

export class SpelledSchemas {
  /** Shared schemas and schemas of single calls, by name. */
  readonly all: Record<string, unknown>;
  readonly #names: Names;

  constructor(names: Names, all: Readonly<Record<string, unknown>>) {
    this.#names = names;
    this.all = { ...all };
  }

  /** Adds a schema and returns the reference to it. The name is used unless the schema has its own title. */
  refer(schema: ShownSchema, name: string): ShownSchema {
    return this.#spell({ title: name, ...schema });
  }

  /**
   * Returns a plain copy with the operator's names of fields and carriers, or a reference if the schema has a title.
   */
  #spell({ title, ...schema }: ShownSchema): ShownSchema {
    const deprecated = schema['x-deprecated-values'];
    if (deprecated !== undefined) return this.#spellChoice(schema, deprecated);
    const { properties, required, items, anyOf, enum: values, 'x-carrier-names': hasCarrierNames, ...rest } = schema;
    const names = this.#names;
    const spelled: ShownSchema = {
      ...rest,
      ...(values === undefined
        ? {}
        : { enum: hasCarrierNames ? values.map((value) => names.method(String(value))) : [...values] }),
      ...(required === undefined ? {} : { required: required.map((name) => names.field(name)) }),
      ...(items === undefined ? {} : { items: this.#spell(items) }),
      ...(anyOf === undefined ? {} : { anyOf: anyOf.map((member) => this.#spell(member)) }),
      ...(properties === undefined
        ? {}
        : {
            properties: Object.fromEntries(
              Object.entries(properties).map(([name, member]) => [names.field(name), this.#spell(member)]),
            ),
          }),
    };
    if (title === undefined) return spelled;
    const known = this.all[title];
    if (known !== undefined && !isDeepStrictEqual(known, spelled)) throw new Error(`Two schemas are named ${title}.`);
    this.all[title] = spelled;
    return { $ref: `#/components/schemas/${title}` };
  }

  /** JSON Schema cannot mark single values as deprecated, so they become a separate schema. */
  #spellChoice({ description = '', type = 'string', enum: values = [] }: ShownSchema, deprecated: readonly string[]) {
    const isOld = (value: string | number) => deprecated.includes(String(value));
    const current = values.filter((value) => !isOld(value));
    return {
      description,
      anyOf: [
        { type, enum: current },
        { type, enum: values.filter(isOld), deprecated: true },
      ],
    };
  }
}
