/** What {@link watchErrors} needs of a page. */
interface WatchedPage {
  readonly console: Pick<Console, 'error'>
}

/** Errors that were written to the console since the last look. */
export interface ErrorWatch {
  /** Gives back the texts collected since the last call and forgets them. */
  take(): string[]
}

/** Collects what is written with `console.error`, which still reaches the console. */
export function watchErrors(page: WatchedPage): ErrorWatch {
  const write = page.console.error
  let seen: string[] = []
  page.console.error = (...values: unknown[]) => {
    seen.push(values.map(String).join(' '))
    write.apply(page.console, values)
  }
  return {
    take() {
      const taken = seen
      seen = []
      return taken
    },
  }
}
