// Performs one job as an async generator of events. The caller makes each event durable before asking for the next.
import { unreachable } from '../../../contract/base/result.ts';
import { awaitEvent, create } from './create.ts';
import type { JobOrder } from './job.ts';
import type { JobContext } from './job-context.ts';
import { inOwnNames } from './named.ts';
import type { Performance } from './performance.ts';
import { copy, download, remove, saved } from './save.ts';
import { attach } from './settlement.ts';
import { store } from './store/put.ts';
import { detect, digest, reupload, settleRemembered, upload } from './supply.ts';

export function perform(order: JobOrder, context: JobContext): Performance {
  switch (order.operation) {
    case 'upload':
      return upload(order, context);
    case 'reupload':
      return reupload(order, context);
    case 'detect':
      return inOwnNames(detect(order, context), order.names);
    case 'create':
      return inOwnNames(saved(order, create(order, context), context), order.names);
    case 'attach':
      return inOwnNames(saved(order, attach(order, context), context), order.names);
    case 'await':
      return inOwnNames(saved(order, awaitEvent(order, context), context), order.names);
    case 'download':
      return download(order, context);
    case 'copy':
      return copy(order, context);
    case 'store':
      return store(order, context);
    case 'delete':
      return remove(order, context);
    case 'digest':
      return digest(order, context);
    case 'settle':
      return settleRemembered(order, context);
    default:
      return unreachable(order);
  }
}
