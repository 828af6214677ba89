// torus.sv: a torus of the routers of router.sv, with the ports that verilator.cpp drives: eight bits and a flit for each node.
module top #(parameter KX = 8, KY = 8, C = 6, DEPTH = 10, W = 64) (
  input  logic clk, rst,
  input  logic [8*C-1:0] longest,       // packet of each class, in phits; does not change after the reset
  input  logic [8*KX*KY-1:0] in_valid,  // by node: a bit for the class of the flit that the node sends
  input  logic [W*KX*KY-1:0] in_flit,
  output logic [8*KX*KY-1:0] in_ready,  // by node: the classes of which a flit is taken
  output logic [8*KX*KY-1:0] out_valid,
  output logic [W*KX*KY-1:0] out_flit,
  input  logic [8*KX*KY-1:0] out_ready, // by node: the classes with a free place in their sink
  output logic [8*KX*KY-1:0] out_take,  // by node: the class of a packet that is granted a place
  output logic [7:0] classes);
  assign classes = 8'(C);
  logic [C*4-1:0] slots;                // rule 1: of a channel of each class
  logic [C-1:0] usable;                 // the bubble needs two
  for (genvar c = 0; c < C; c++) begin : of
    assign slots[4*c +: 4] = 4'(8'(DEPTH) / longest[8*c +: 8]);
    assign usable[c] = slots[4*c +: 4] >= 2;
  end
  logic [5*C*KX*KY-1:0] to, from, freed, free;
  logic [5*W*KX*KY-1:0] to_flit, from_flit;
  for (genvar n = 0; n < KX*KY; n++) begin : node
    localparam X = n % KX, Y = n / KX;
    // The neighbour across each port, and its port for the same link.
    localparam S = X + KX*((Y+KY-1) % KY), E = (X+1) % KX + KX*Y, N = X + KX*((Y+1) % KY), O = (X+KX-1) % KX + KX*Y;
    logic [W-1:0] phit, sent;
    logic [15:0] target;
    logic [C-1:0] ready;
    router #(.KX(KX), .KY(KY), .C(C), .DEPTH(DEPTH), .W(W)) r (.clk(clk), .rst(rst), .x(8'(X)), .y(8'(Y)), .slots(slots),
      .in_valid(to[5*C*n +: 5*C]), .in_flit(to_flit[5*W*n +: 5*W]), .out_valid(from[5*C*n +: 5*C]), .out_flit(from_flit[5*W*n +: 5*W]),
      .in_credit(freed[5*C*n +: 5*C]), .out_credit(free[5*C*n +: 5*C]), .in_ready(ready), .out_ready(out_ready[8*n +: C]), .out_take(out_take[8*n +: C]));
    // In the network a header has the coordinates of the destination instead of its number.
    assign sent = in_flit[W*n +: W];
    assign target = sent[51:36];
    always_comb begin
      phit = sent;
      phit[43:36] = 8'(target % 16'(KX));
      phit[51:44] = 8'(target / 16'(KX));
      phit[20] = 1'((X + Y) % 2);
    end
    assign to[5*C*n +: C] = in_valid[8*n +: C];
    assign to_flit[5*W*n +: W] = phit;
    assign out_flit[W*n +: W] = from_flit[5*W*n +: W];
    assign out_valid[8*n +: 8] = 8'(from[5*C*n +: C]);
    assign to[5*C*n+C +: 4*C] = {from[5*C*O+2*C +: C], from[5*C*N+1*C +: C], from[5*C*E+4*C +: C], from[5*C*S+3*C +: C]};
    assign to_flit[5*W*n+W +: 4*W] = {from_flit[5*W*O+2*W +: W], from_flit[5*W*N+1*W +: W], from_flit[5*W*E+4*W +: W], from_flit[5*W*S+3*W +: W]};
    assign free[5*C*n +: C] = '0;
    assign free[5*C*n+C +: 4*C] = {freed[5*C*O+2*C +: C], freed[5*C*N+1*C +: C], freed[5*C*E+4*C +: C], freed[5*C*S+3*C +: C]};
    assign in_ready[8*n +: C] = ready & usable;
    if (C < 8) assign in_ready[8*n+C +: 8-C] = '0;
    if (C < 8) assign out_take[8*n+C +: 8-C] = '0;
  end
endmodule
