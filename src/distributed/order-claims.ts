// What the user's receipts say of the creations that a coordinator orders. Workers send them, so a creation is claimed
// before its order is issued: from then on, it may be sent at any time, also after the coordinator has died.
import type { CreateOrder } from '../run/jobs/job.ts';

export interface OrderClaims {
  /** False: somebody else on this machine pays for the same request, and the order must not be issued. */
  claim(order: CreateOrder): boolean;
  /** The intent of the attempt is recorded: the record tells what becomes of it. */
  begun(name: string): void;
  /** The order is over, and no attempt of this name was begun. */
  withdraw(name: string): void;
}
