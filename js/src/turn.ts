/** Lets others have their turn. */
export const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
