/** What watches the thread while something is measured; gives back a number in milliseconds. */
export type Watch = () => { stop(): number }
