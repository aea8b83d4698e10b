/** What any worker takes that is a module. */
self.postMessage(0)
