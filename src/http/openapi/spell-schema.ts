/** In charge of putting a schema into the names in force, for the documentation. */
import type { BodySchema } from '../../domain/check/schema.ts';
import type { Names } from '../../domain/names.ts';

/** Answers may be one of several; bodies are not. */
interface ShownSchema extends BodySchema {
  anyOf?: readonly ShownSchema[];
}

/** A plain copy of the schema with fields and carriers as the operator named them. */
export function spellSchema(schema: ShownSchema, names: Names): ShownSchema {
  const { properties, required, items, anyOf, enum: values, 'x-carrier-names': hasCarrierNames, ...rest } = schema;
  return {
    ...rest,
    ...(values === undefined
      ? {}
      : { enum: hasCarrierNames ? values.map((value) => names.method(String(value))) : [...values] }),
    ...(required === undefined ? {} : { required: required.map((name) => names.field(name)) }),
    ...(items === undefined ? {} : { items: spellSchema(items, names) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((member) => spellSchema(member, names)) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, member]) => [names.field(name), spellSchema(member, names)]),
          ),
        }),
  };
}
