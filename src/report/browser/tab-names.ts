// The views of the page, in the order of their tabs.
export const tabs = ['gallery', 'tasks', 'steps', 'timeline', 'credits', 'problems'] as const;
export type Tab = (typeof tabs)[number];

export const isTab = (name: string): name is Tab => tabs.some((tab) => tab === name);
