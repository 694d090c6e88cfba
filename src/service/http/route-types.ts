// What the paths of several routes carry, for fastify's types.
import type { SignedQuery } from '../store/presigned-addresses.ts';

/** `/…/:id` */
export interface ById {
  Params: { readonly id: string };
}

/** `/uploads/*` and `/downloads/*`: the key of a file, and the query that makes an address presigned. */
export interface Presigned {
  Params: { readonly '*': string };
  Querystring: SignedQuery;
}
