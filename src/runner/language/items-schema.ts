// The JSON Schema of `items:`. `items-check.ts` checks what a schema cannot word well.

const scalar = { type: ['string', 'number', 'boolean'] } as const;

/** Entries of include and exclude: values of a matrix, and fields of the item as `item.<field>`. */
const rules = {
  type: 'array',
  items: { type: 'object', minProperties: 1, additionalProperties: scalar },
} as const;

export const itemsSchema = {
  type: 'object',
  description:
    'What the steps are applied to: one of `glob`, `csv`, `jsonl` and `values`, with or without a `matrix`; or only a `matrix`. Without items, each step runs once.',
  additionalProperties: false,
  properties: {
    glob: {
      type: ['string', 'array'],
      minLength: 1,
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description:
        'A pattern for files, or a list of patterns, relative to the pipeline file. In a list, a pattern that begins with `!` excludes files.',
    },
    csv: {
      type: 'string',
      minLength: 1,
      description:
        'A CSV file with a header, relative to the pipeline file. Each row is an item, and each column is `${{ item.<column> }}`.',
    },
    delimiter: {
      type: 'string',
      enum: [',', ';', '\t', '|'],
      description:
        'What separates the values in a row of the CSV file. The default is a comma, or a tab for a `.tsv` file.',
    },
    types: {
      type: 'object',
      additionalProperties: { type: 'string', enum: ['string', 'number', 'boolean'] },
      description:
        'The types of columns of the CSV file: `string`, `number` or `boolean`. Without a type, a column is text, so the value `01234` stays `01234`.',
    },
    jsonl: {
      type: 'string',
      minLength: 1,
      description:
        'A file with one JSON object per line, relative to the pipeline file. Each line is an item, and its fields are `${{ item.<field> }}`.',
    },
    values: {
      type: 'array',
      minItems: 1,
      items: {
        type: ['object', 'string', 'number', 'boolean'],
        properties: {
          key: {
            type: ['string', 'number'],
            minLength: 1,
            description: 'The name of the item. The default is its number, from 1.',
          },
        },
      },
      description:
        'Objects, whose fields are `${{ item.<field> }}`, or single values, which are `${{ item.value }}`.',
    },
    matrix: {
      type: 'object',
      minProperties: 1,
      properties: {
        include: {
          ...rules,
          description:
            'Values to add to the combinations that they do not contradict. An entry that fits no combination becomes a combination of its own. `item.<field>` limits an entry to some items.',
        },
        exclude: {
          ...rules,
          description:
            'Combinations to leave out. An entry leaves out every combination with all of its values. `item.<field>` limits an entry to some items.',
        },
      },
      propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_-]*$', maxLength: 100 },
      additionalProperties: { type: 'array', minItems: 1, items: { ...scalar, minLength: 1 } },
      description:
        'Lists of values by name. There is an item for every combination, which is `${{ matrix.<name> }}`; with `glob`, `csv`, `jsonl` or `values`, for every combination with each item.',
    },
    key: {
      type: 'string',
      minLength: 1,
      description:
        'The field or column that names the items, in tasks such as `talk:ann`. Each item needs a key of its own.',
    },
    when: {
      type: ['string', 'boolean'],
      default: true,
      description:
        'A CEL expression over `item`, `matrix`, `inputs` and `env`. Items for which it is false are left out.',
    },
  },
} as const;
