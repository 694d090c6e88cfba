// The compiler's proof that the schemas describe the types: this file does not compile if one has a field that the other
// does not have, or has it with another type.
import type { FromSchema } from 'json-schema-to-ts';
import { expect, test } from 'vitest';
import type { IssuedOrder } from '../../../../../src/distributed/database/batch.ts';
import type { issuedSchema } from '../../../../../src/distributed/order-guard.ts';
import type { JobOrder, JobOutcome } from '../../../../../src/run/jobs/job.ts';
import { orderSchemas, outcomeSchemas } from '../../../../../src/run/jobs/wire-schemas.ts';
import type { Same, Wire } from './wire-types.ts';

/** Waiting for what this machine remembers is no order for a worker. */
type Operation = Exclude<JobOrder['operation'], 'settle'>;
type SameOrder = {
  readonly [Name in Operation]: Same<
    Wire<Extract<JobOrder, { readonly operation: Name }>>,
    Wire<FromSchema<(typeof orderSchemas)[Name]>>
  >;
};

/** A code of a diagnostic is any text of its form to a schema. */
type Coded<T> = T extends { readonly diagnostic?: unknown }
  ? Omit<T, 'diagnostic'> & { readonly diagnostic?: string }
  : T;
type SameOutcome = {
  readonly [Name in JobOutcome['is']]: Same<
    Wire<Coded<Extract<JobOutcome, { readonly is: Name }>>>,
    Wire<FromSchema<(typeof outcomeSchemas)[Name]>>
  >;
};

test('the schemas describe the orders', () => {
  const same: SameOrder = {
    upload: true,
    reupload: true,
    detect: true,
    create: true,
    attach: true,
    await: true,
    download: true,
    copy: true,
    store: true,
    delete: true,
    digest: true,
  };
  expect(Object.keys(orderSchemas).sort()).toEqual(Object.keys(same).sort());
});

test('the schemas describe the outcomes', () => {
  const same: SameOutcome = {
    done: true,
    ended: true,
    read: true,
    withheld: true,
    resupply: true,
    bug: true,
  };
  expect(Object.keys(outcomeSchemas).sort()).toEqual(Object.keys(same).sort());
});

test('the schema describes an issued order around its order', () => {
  type Rest<T> = Omit<T, 'order'>;
  const same: Same<Wire<Rest<IssuedOrder>>, Wire<Rest<FromSchema<typeof issuedSchema>>>> = true;
  expect(same).toBe(true);
});

test('the comparison notices what is different', () => {
  interface One {
    readonly a: string;
    readonly b?: number;
  }
  const differ: readonly [
    Same<Wire<One>, Wire<Required<One>>>,
    Same<Wire<One>, Wire<Pick<One, 'a'>>>,
    Same<Wire<One>, Wire<{ readonly a: 'x'; readonly b?: number }>>,
    Same<Wire<{ readonly a: readonly One[] }>, Wire<{ readonly a: readonly string[] }>>,
  ] = [false, false, false, false];
  expect(differ).not.toContain(true);
});
