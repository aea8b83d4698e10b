/** Where the rank file of an encoding lies. */
export function rankFile(encoding: string): string

/** Makes the rank files that are missing or stale; gives back the paths of all. */
export function ensureRanks(): Promise<string[]>
