import { useSignal } from '@preact/signals'

/** Rows that are drawn at first, and that each click adds: more would keep a slow machine busy for seconds. */
const step = 100

/** Gives back the newest rows of a list, how many earlier ones there are, and how to show more of them. */
export function useNewest<T>(rows: readonly T[], list: string) {
  const asked = useSignal({ list, count: step })
  const count = asked.value.list === list ? asked.value.count : step
  return {
    shown: rows.slice(-count),
    earlier: Math.max(0, rows.length - count),
    showEarlier() {
      asked.value = { list, count: count + step }
    },
  }
}
