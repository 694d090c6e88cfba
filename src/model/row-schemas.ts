// The schemas of the lines by which jobs are written as rows: a template, and the rows of it.

export const templateSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['template', 'columns', 'line'],
  description: 'What the rows with this name stand for.',
  properties: {
    template: {
      type: 'string',
      pattern: '^[0-9a-f]{6}$',
      description: 'Names the template: the first digits of the SHA-256 of its canonical JSON.',
    },
    columns: {
      type: 'array',
      items: { type: 'string', pattern: '^[^{}:+]+$' },
      description: 'What the values of a row are, after the name of the template.',
    },
    line: {
      type: 'object',
      description:
        'The job line. {column} stands for a value of the row, {item.stem} for the item without its extension, ' +
        '{job:hex} for 64 digits that the row has in base64url, and {at+column} for the time so many seconds after `at`.',
    },
  },
} as const;

export const rowSchema = {
  type: 'array',
  minItems: 2,
  items: { type: ['string', 'number'] },
  description: 'A job: the name of a template above, and the values of its columns.',
} as const;
