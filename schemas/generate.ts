// Writes schemas/*.json from the schemas in src/, and the tables of docs/expressions.md: `npm run schemas`. A test says
// when they are stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Schema } from '../src/base/schema.ts';
import {
  creationSchema,
  eventSchema,
  faceDetectionSchema,
  projectSchema,
  uploadAddressesSchema,
} from '../src/contract/api/project.ts';
import { kinds } from '../src/contract/kinds.ts';
import { provenanceSchema } from '../src/features/provenance/provenance.ts';
import { pipelineSchema } from '../src/language/schema.ts';
import { stateSchema } from '../src/model/record/schemas.ts';
import { faultsSchema } from '../src/service/faults/schema.ts';
import { withTables } from './function-tables.ts';

/** Every published schema, by its path below schemas/. */
export const published: readonly (readonly [string, Schema])[] = [
  ['pipeline.schema.json', pipelineSchema(kinds)],
  ['state.schema.json', stateSchema],
  ['provenance.schema.json', provenanceSchema],
  ['project.schema.json', projectSchema],
  ['creation.schema.json', creationSchema],
  ['face-detection.schema.json', faceDetectionSchema],
  ['upload-addresses.schema.json', uploadAddressesSchema],
  ['event.schema.json', eventSchema],
  ['faults.schema.json', faultsSchema],
];

export const textOf = (schema: Schema): string => `${JSON.stringify(schema, null, 2)}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, schema] of published) {
    const file = fileURLToPath(new URL(path, import.meta.url));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, textOf(schema));
  }
  const page = fileURLToPath(new URL('../docs/expressions.md', import.meta.url));
  writeFileSync(page, withTables(readFileSync(page, 'utf8')));
}
