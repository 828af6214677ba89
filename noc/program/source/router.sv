// router.sv: the router BASE in SystemVerilog, an example of a network under Carousel. torus.sv connects such routers,
// and verilator.cpp runs them. Each delivery has the cycle of the router base with its defaults; the rules are those of
// Carousel's package noc/buffered, and comments cite their numbers. A channel has DEPTH phits.
//
// Ports of a router: 0 local, 1 y-, 2 x+, 3 y+, 4 x-. Vectors of ports and classes are flat: port p, class c is bit
// p*C+c. A phit on a link inside the network:
//
//     63 head, 62 tail, 61:52 links crossed, 51:44 y and 43:36 x of the destination, 20 sum of the source's
//     coordinates is odd, 19:0 number of the packet; other bits are not used

// arbiter is a round robin: the first request after the one granted last, wrapping round. The turn passes with `pass`.
module arbiter #(parameter N = 5) (
  input  logic clk, rst, pass,
  input  logic [N-1:0] request,
  output logic [N-1:0] grant);
  logic [N-1:0] after; // the requests after the last grant
  logic [N-1:0] first;
  assign first = |(request & after) ? request & after : request;
  assign grant = first & (~first + N'(1));
  always_ff @(posedge clk)
    if (rst) after <= '1;
    else if (pass && |request) after <= ~(grant | (grant - N'(1)));
endmodule

// channel is the FIFO of one class at one input (rule 1), and the route of its head (rules 4 and 5).
module channel #(parameter KX = 8, KY = 8, DEPTH = 10, W = 64) (
  input  logic clk, rst,
  input  logic [7:0] x, y,
  input  logic write, read, granted,
  input  logic leaving,              // the line carries a packet of this channel
  input  logic [W-1:0] in,
  output logic [W-1:0] front,
  output logic [4:0] target);        // output that the head may ask for; 0 if there is none
  logic [W-1:0] mem [0:DEPTH-1];
  logic [3:0] first, free, count;    // phits: the oldest, the next to write, how many
  logic [7:0] dx, dy;                // links to the destination in the plus directions
  logic [4:0] route;
  assign front = mem[first];

  // Rule 4: dimension 0 first, the shorter way round; half a ring goes minus if the source is odd.
  assign dx = front[43:36] >= x ? front[43:36] - x : front[43:36] - x + 8'(KX);
  assign dy = front[51:44] >= y ? front[51:44] - y : front[51:44] - y + 8'(KY);
  always_comb begin
    route = 5'b00001;
    if (dx != 0) route = 9'(dx) * 2 < KX || 9'(dx) * 2 == KX && !front[20] ? 5'b00100 : 5'b10000;
    else if (dy != 0) route = 9'(dy) * 2 < KY || 9'(dy) * 2 == KY && !front[20] ? 5'b01000 : 5'b00010;
  end

  always_ff @(posedge clk) begin
    if (write) begin
      mem[free] <= in;
      free <= free == 4'(DEPTH-1) ? 4'd0 : free + 4'd1;
    end
    if (read) first <= first == 4'(DEPTH-1) ? 4'd0 : first + 4'd1;
    count <= count + 4'(write) - 4'(read);
    // Rule 5: the route of the first packet, a cycle after its write or after the tail before it.
    if (granted) target <= '0;
    else if (count != 0 && !leaving && target == 0) target <= route;
    if (rst) begin
      first <= '0;
      free <= '0;
      count <= '0;
      target <= '0;
    end
  end
endmodule

// inport is an input: a channel per class and their line into the crossbar.
module inport #(parameter KX = 8, KY = 8, C = 6, DEPTH = 10, W = 64) (
  input  logic clk, rst,
  input  logic [7:0] x, y,
  input  logic [C-1:0] in_valid,     // from the link, by class
  input  logic [W-1:0] in_flit,
  output logic [C-1:0] credit,       // rule 2: a slot is given back
  input  logic [4:0] idle,           // outputs that can be granted
  input  logic [C-1:0] turn0, turn1, turn2, turn3, turn4, // per output: classes with space for a packet from here
  output logic [4:0] request,        // the output that the nominee asks for
  input  logic [4:0] grant,
  output logic [C-1:0] nominee,
  output logic [4:0] line,           // the output to which the line leads in this cycle
  output logic [C-1:0] class_,       // of the phit on it
  output logic [W-1:0] flit);
  logic [C-1:0] wire_valid;          // on the link
  logic [W-1:0] wire_flit;
  logic [C-1:0] asking, from;
  logic [4:0] to;
  logic [C*5-1:0] targets;
  logic [C*W-1:0] fronts;
  logic tail, ready;

  for (genvar c = 0; c < C; c++) begin : of
    logic [4:0] t;
    channel #(.KX(KX), .KY(KY), .DEPTH(DEPTH), .W(W)) fifo (.clk(clk), .rst(rst), .x(x), .y(y), .write(wire_valid[c]), .in(wire_flit),
      .read(from[c]), .granted(|grant && nominee[c]), .leaving(from[c]), .front(fronts[W*c +: W]), .target(t));
    assign targets[5*c +: 5] = t;
    assign asking[c] = |(t & idle & {turn4[c], turn3[c], turn2[c], turn1[c], turn0[c]});
  end

  always_comb begin
    flit = '0;
    request = '0;
    for (int c = 0; c < C; c++) begin
      if (from[c]) flit = flit | fronts[W*c +: W];
      if (nominee[c] && ready) request = request | targets[5*c +: 5];
    end
  end
  assign tail = flit[62];
  assign ready = from == 0 || tail;  // the line can be granted (rule 9)
  assign line = to;
  assign class_ = from;
  assign credit = flit[63] ? from : '0;
  arbiter #(.N(C)) turns (.clk(clk), .rst(rst), .pass(ready), .request(asking), .grant(nominee)); // rule 7

  always_ff @(posedge clk) begin
    wire_valid <= in_valid;
    wire_flit <= in_flit;
    if (ready) begin
      from <= |grant ? nominee : '0;
      to <= grant;
    end
    if (rst) begin
      wire_valid <= '0;
      from <= '0;
      to <= '0;
    end
  end
endmodule

// outport is an output: its arbiter, the register behind the crossbar, and the credits of the channels across its link.
module outport #(parameter C = 6, W = 64, LOCAL = 0) (
  input  logic clk, rst,
  input  logic [C*4-1:0] slots,      // of a channel of each class
  input  logic [4:0] request,        // by input
  output logic [4:0] grant,
  input  logic [C-1:0] granted,      // class of the packet that is granted
  input  logic [C-1:0] class_,       // on the crossbar
  input  logic [W-1:0] flit,
  output logic idle,
  output logic [C-1:0] ahead, enter, // classes with space for a packet that goes straight on, or enters a ring
  input  logic [C-1:0] credit,
  output logic [C-1:0] out_valid,
  output logic [W-1:0] out_flit);
  logic busy;
  logic [C*4-1:0] credits;
  assign idle = !busy || flit[62];
  arbiter #(.N(5)) turns (.clk(clk), .rst(rst), .pass(1'b1), .request(request), .grant(grant)); // rule 8
  for (genvar c = 0; c < C; c++) begin : of
    assign ahead[c] = credits[4*c +: 4] >= 1;
`ifdef SEEDED_DEFECT
    assign enter[c] = credits[4*c +: 4] >= 1;
`else
    assign enter[c] = credits[4*c +: 4] >= 2; // rule 6: the bubble
`endif
    always_ff @(posedge clk)         // rule 2
      if (rst) credits[4*c +: 4] <= slots[4*c +: 4];
      else credits[4*c +: 4] <= credits[4*c +: 4] + 4'(credit[c]) - 4'(granted[c]);
  end
  always_ff @(posedge clk) begin
    out_valid <= class_;
    out_flit <= flit;
    if (!LOCAL && flit[63]) out_flit[61:52] <= flit[61:52] + 10'd1;
    if (idle) busy <= |grant;
    if (rst) begin
      busy <= 0;
      out_valid <= '0;
    end
  end
endmodule

// router is five inputs and five outputs, and the interface of the node. Its position is an input, not a parameter:
// simulators then compile one router for all nodes.
module router #(parameter KX = 8, KY = 8, C = 6, DEPTH = 10, W = 64) (
  input  logic clk, rst,
  input  logic [7:0] x, y,
  input  logic [C*4-1:0] slots,
  input  logic [5*C-1:0] in_valid,   // at most one class of a port
  input  logic [5*W-1:0] in_flit,
  output logic [5*C-1:0] out_valid,
  output logic [5*W-1:0] out_flit,
  output logic [5*C-1:0] in_credit,  // slots given back by the inputs
  input  logic [5*C-1:0] out_credit, // slots given back across the links
  output logic [C-1:0] in_ready,     // the interface takes a phit of the class from the node
  input  logic [C-1:0] out_ready,    // the sink of the class has a free place
  output logic [C-1:0] out_take);    // a packet is granted the place
  /*verilator no_inline_module*/
  logic [4:0] idle;
  logic [5*C-1:0] ahead, enter;      // by output
  logic [24:0] request, grant, line; // by input, then output
  logic [5*C-1:0] nominee, class_;   // by input
  logic [5*W-1:0] flit;

  for (genvar i = 0; i < 5; i++) begin : inputs
    // Rule 6: a packet that comes from the opposite port needs one slot, one that enters a ring two.
    inport #(.KX(KX), .KY(KY), .C(C), .DEPTH(DEPTH), .W(W)) in (.clk(clk), .rst(rst), .x(x), .y(y),
      .in_valid(in_valid[C*i +: C]), .in_flit(in_flit[W*i +: W]), .credit(in_credit[C*i +: C]), .idle(idle),
      .turn0(out_ready), .turn1(i == 3 ? ahead[C*1 +: C] : enter[C*1 +: C]), .turn2(i == 4 ? ahead[C*2 +: C] : enter[C*2 +: C]),
      .turn3(i == 1 ? ahead[C*3 +: C] : enter[C*3 +: C]), .turn4(i == 2 ? ahead[C*4 +: C] : enter[C*4 +: C]),
      .request(request[5*i +: 5]), .grant(grant[5*i +: 5]), .nominee(nominee[C*i +: C]), .line(line[5*i +: 5]),
      .class_(class_[C*i +: C]), .flit(flit[W*i +: W]));
  end

  for (genvar o = 0; o < 5; o++) begin : outputs
    logic [4:0] asks, wins;
    logic [C-1:0] granted, crossing;
    logic [W-1:0] phit;
    always_comb begin
      granted = '0;
      crossing = '0;
      phit = '0;
      for (int i = 0; i < 5; i++) begin
        asks[i] = request[5*i+o];
        if (wins[i]) granted = granted | nominee[C*i +: C];
        if (line[5*i+o]) crossing = crossing | class_[C*i +: C];
        if (line[5*i+o]) phit = phit | flit[W*i +: W];
      end
    end
    if (o == 0) assign out_take = granted;
    for (genvar i = 0; i < 5; i++) begin : to
      assign grant[5*i+o] = wins[i];
    end
    outport #(.C(C), .W(W), .LOCAL(o == 0)) out (.clk(clk), .rst(rst), .slots(slots), .request(asks), .grant(wins),
      .granted(o == 0 ? in_valid[C-1:0] & {C{in_flit[63]}} : granted), .class_(crossing), .flit(phit), .idle(idle[o]),
      .ahead(ahead[C*o +: C]), .enter(enter[C*o +: C]), .credit(o == 0 ? in_credit[C-1:0] : out_credit[C*o +: C]),
      .out_valid(out_valid[C*o +: C]), .out_flit(out_flit[W*o +: W]));
  end

  // Rule 10, without the turns of the classes, which the node takes: the credits of output 0 are those for the local input.
  logic [C-1:0] sending;             // a packet of the class is on its way
  assign in_ready = sending != 0 ? sending : ahead[C-1:0];
  always_ff @(posedge clk)
    if (rst) sending <= '0;
    else if (|in_valid[C-1:0]) sending <= in_flit[62] ? '0 : in_valid[C-1:0];
endmodule
