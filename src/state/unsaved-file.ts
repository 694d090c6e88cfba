// The unsaved file: what a run recorded after another program had changed the state file under it. It is a whole state
// file, and it may have payments that the state file lacks.

/** Beside the state file, with a fixed name, so that no later run can overlook it. */
export const unsavedFile = (state: string): string => `${state}.unsaved`;
