// Search on pages that are opened as files. Browsers start no worker from file://, so its script
// runs in a hidden frame. (The file's name tells the offline plugin not to fetch one from afar.)
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      this.started = new Promise((resolve) => {
        frame.onload = () => {
          const inside = frame.contentWindow;
          inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          const script = inside.document.createElement("script");
          script.src = url;
          script.onload = () => resolve(inside);
          inside.document.body.append(script);
        };
      });
      document.body.append(frame);
    }

    postMessage(data) {
      this.started.then((inside) =>
        inside.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) })),
      );
    }
  };
}
