// The picture of the graph: drawn once, then moved as an image while it is dragged or zoomed.
(() => {
  "use strict";
  const place = document.getElementById("graph");
  if (!place || typeof cytoscape === "undefined") return;
  cytoscape.use(cytoscapeFcose);
  const panel = document.getElementById("node");
  const note = document.getElementById("graph-note");
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const style = () => [
    {
      selector: "node",
      style: {
        "background-color": colour("--s1"),
        shape: "round-rectangle",
        width: "data(size)",
        height: "data(size)",
        label: "data(label)",
        color: colour("--ink"),
        "font-size": 10,
        "min-zoomed-font-size": 9,
        "text-valign": "bottom",
        "text-margin-y": 3,
        "text-wrap": "ellipsis",
        "text-max-width": 140,
      },
    },
    { selector: "node[kind = 'entry']", style: { "background-color": colour("--s2"), shape: "ellipse" } },
    {
      selector: "edge",
      style: { width: "data(width)", "line-color": colour("--line"), "curve-style": "haystack", "haystack-radius": 0 },
    },
    { selector: "node:selected", style: { "border-width": 4, "border-color": colour("--s5") } },
    { selector: ".near", style: { "border-width": 3, "border-color": colour("--s4") } },
    { selector: "edge.near", style: { "line-color": colour("--s4"), width: 3 } },
    { selector: ".hidden", style: { display: "none" } },
  ];

  const elements = (data) => [
    ...data.nodes.map((node, number) => ({
      data: { id: `n${number}`, size: 10 + Math.min(34, 5 * Math.sqrt(node.degree)), ...node },
    })),
    ...data.edges.map((edge, number) => ({
      data: {
        id: `e${number}`,
        source: `n${edge.one}`,
        target: `n${edge.two}`,
        width: 0.5 + 2 * edge.weight,
        weight: edge.weight,
        kinds: edge.kinds,
      },
    })),
  ];

  const draw = (data) => {
    const many = data.nodes.length > 400;
    const graph = cytoscape({
      container: place,
      elements: elements(data),
      style: style(),
      layout: {
        name: "fcose",
        quality: many ? "draft" : "default",
        animate: false,
        randomize: true,
        nodeSeparation: 90,
        packComponents: false,
      },
      textureOnViewport: many,
      hideEdgesOnViewport: many,
      pixelRatio: many ? 1 : "auto",
      minZoom: 0.05,
      maxZoom: 4,
      boxSelectionEnabled: false,
      // To move one of many draws all of them anew, each time.
      autoungrabify: many,
    });
    connect(graph, data);
    return graph;
  };

  const connect = (graph, data) => {
    const show = (node) => {
      graph.elements().removeClass("near");
      graph.$(":selected").unselect();
      node.select();
      node.closedNeighborhood().addClass("near");
      node.removeClass("near");
      const address = new URL(place.dataset.node, location.href);
      address.searchParams.set("ref", node.data("ref"));
      htmx.ajax("GET", address.pathname + address.search, { target: panel, select: "#links-of-node", swap: "innerHTML" }).then(() => {
        // The panel has taken its place from the picture: what was chosen stays in sight.
        graph.resize();
        const { x1, x2, y1, y2 } = node.renderedBoundingBox();
        if (x1 < 0 || y1 < 0 || x2 > graph.width() || y2 > graph.height()) graph.center(node);
      });
    };
    const goTo = (node) => {
      graph.animate({ center: { eles: node }, zoom: Math.max(graph.zoom(), 1) }, { duration: 0 });
      show(node);
    };
    graph.on("tap", "node", (event) => show(event.target));
    graph.on("dbltap", "node", (event) => {
      panel.querySelector("p a")?.click();
    });

    const filter = () => {
      const kinds = new Set([...document.querySelectorAll("input[name=kind]:checked")].map((each) => each.value));
      const least = Number(document.getElementById("least").value);
      document.getElementById("least-shown").textContent = least.toFixed(2);
      graph.batch(() => {
        graph.edges().forEach((edge) => {
          const shown = edge.data("weight") >= least && edge.data("kinds").some((kind) => kinds.has(kind));
          edge.toggleClass("hidden", !shown);
        });
      });
    };
    document.querySelectorAll("input[name=kind], #least").forEach((each) => each.addEventListener("input", filter));
    document.querySelectorAll("[data-zoom]").forEach((button) =>
      button.addEventListener("click", () => zoom(Number(button.dataset.zoom))),
    );
    const zoom = (factor) =>
      graph.zoom({ level: graph.zoom() * factor, renderedPosition: { x: graph.width() / 2, y: graph.height() / 2 } });
    document.querySelector("[data-fit]").addEventListener("click", () => graph.fit(undefined, 30));

    const STEPS = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    place.addEventListener("keydown", (event) => {
      if (event.key in STEPS) graph.panBy({ x: STEPS[event.key][0], y: STEPS[event.key][1] });
      else if (event.key === "+" || event.key === "=") zoom(1.4);
      else if (event.key === "-") zoom(1 / 1.4);
      else if (event.key === "0") graph.fit(undefined, 30);
      else return;
      event.preventDefault();
    });

    const labels = document.getElementById("labels");
    labels.append(
      ...data.nodes.map((node) => {
        const option = document.createElement("option");
        option.value = node.label;
        return option;
      }),
    );
    const find = document.getElementById("find");
    find.addEventListener("change", () => {
      const wanted = find.value.trim().toLowerCase();
      const found = wanted && graph.nodes().filter((node) => node.data("label").toLowerCase().includes(wanted));
      if (found && found.length) goTo(found[0]);
    });
    const at = place.dataset.at && graph.nodes().filter((node) => node.data("ref") === place.dataset.at);
    if (at && at.length) goTo(at[0]);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => graph.style(style()));
  };

  note.textContent = "Drawing…";
  fetch(place.dataset.source, { headers: { Accept: "application/json" } })
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
    .then((data) => {
      document.querySelector(".graph-tools").hidden = false;
      const graph = draw(data);
      place.dataset.ready = "true";
      place.graph = graph;
      const left = [
        data.nodesLeftOut && `${data.nodesLeftOut} nodes with the fewest links`,
        data.edgesLeftOut && `${data.edgesLeftOut} of the weakest links`,
      ].filter(Boolean);
      note.textContent = left.length ? `Not drawn: ${left.join(" and ")}; the table has them.` : "";
    })
    .catch((error) => {
      note.textContent = `The picture could not be drawn (${error.message}); the table says the same.`;
    });
})();
